#include "lib/numerics/safetensors.h"

#include <fmt/ranges.h>

#include <bit>
#include <cassert>
#include <cstring>
#include <set>
#include <tuple>

#include "lib/base/error.h"
#include "lib/base/json.h"
#include "lib/base/text.h"

namespace headway {
namespace {

static_assert(std::endian::native == std::endian::little, "bytes of arrays are copied as they are");

constexpr std::size_t kLengthBytes = 8;             // of the number at the start of a file
constexpr std::uint64_t kMostHeader = 100'000'000;  // bytes; the format's own limit
constexpr int kDeepestHeader = 3;                   // the file, an array's entry, its shape
constexpr std::string_view kMetadata = "__metadata__";

// Lists a few names: a missing array is usually misspelt, or the file is the wrong one.
std::string names_text(const std::map<std::string, Array, std::less<>>& arrays) {
  if (arrays.empty()) return "the file has no arrays";
  std::vector<std::string> names;
  for (const auto& [name, array] : arrays) names.push_back(fit(printable(name), 80));
  return fmt::format("there {} {}", arrays.size() == 1 ? "is" : "are", first_of(names));
}

// An array as declared in the header. Checked, except for its place among the others.
struct Entry {
  std::string name;
  Array array;              // without its bytes
  std::uint64_t begin = 0;  // bytes from the end of the header
  std::uint64_t end = 0;
};

[[noreturn]] void fail_in(const std::string& array, const std::string& message) {
  throw Error("array '{}': {}", fit(printable(array), 80), message);
}

std::string_view find_header(std::string_view bytes) {
  if (bytes.size() < kLengthBytes)
    throw Error(
        "not a safetensors file: it should start with an 8-byte length, but it has {} bytes",
        bytes.size());
  std::uint64_t length = 0;
  std::memcpy(&length, bytes.data(), kLengthBytes);
  if (length > kMostHeader)
    throw Error(
        "not a safetensors file: its first 8 bytes say that the header has {} bytes; "
        "at most {} are allowed",
        length, kMostHeader);
  const std::size_t rest = bytes.size() - kLengthBytes;
  if (length > rest)
    throw Error("the header should have {} bytes, but only {} follow; is the file cut short?",
                length, rest);
  return bytes.substr(kLengthBytes, length);
}

// Nothing if the text is no JSON. Checks keys and nesting itself: the JSON parser would accept a
// key twice, and deep nesting would cost much memory.
std::optional<Json> parse_unique(std::string_view text, std::size_t deepest,
                                 const std::string& where) {
  std::vector<std::set<std::string>> keys(deepest + 1);  // of the open object, by depth
  const auto watch = [&](int depth, Json::parse_event_t event, Json& value) {
    if (event == Json::parse_event_t::object_start || event == Json::parse_event_t::array_start) {
      if (static_cast<std::size_t>(depth) >= deepest) throw Error("{} is nested too deeply", where);
      keys[static_cast<std::size_t>(depth) + 1].clear();
    } else if (event == Json::parse_event_t::key) {
      const std::string& key = value.get_ref<const std::string&>();
      if (!keys[static_cast<std::size_t>(depth)].insert(key).second)
        throw Error("'{}' is twice in {}", fit(printable(key), 80), where);
    }
    return true;
  };
  return parse_json(text, watch);
}

Json parse_header(std::string_view header) {
  const std::string no_object = "not a safetensors file: the header is not a JSON object";
  if (!header.starts_with('{')) throw Error(no_object);
  std::optional<Json> json = parse_unique(header, kDeepestHeader, "the header");
  if (!json) throw Error(no_object + ": " + json_mistake(header));
  return *std::move(json);
}

void read_metadata(const Json& metadata, TensorFile& file) {
  if (!metadata.is_object())
    throw Error("'{}' should be a map of texts, but is {}", kMetadata, metadata.type_name());
  for (const auto& [key, value] : metadata.items()) {
    if (!value.is_string())
      throw Error("'{}': the value of '{}' should be text, but is {}", kMetadata,
                  fit(printable(key), 80), value.type_name());
    file.metadata.emplace(key, value.get<std::string>());
  }
}

ElementType read_type(const Json& value) {
  const std::string text = value.is_string() ? value.get<std::string>() : value.type_name();
  const auto type = value.is_string() ? value_of<ElementType>(text) : std::nullopt;
  if (type) return *type;
  throw Error("elements of type '{}' cannot be read; {} can", fit(printable(text), 40),
              fmt::join(kNamesOf<ElementType>, ", "));
}

std::vector<std::int64_t> read_counts(const char* key, const Json& value) {
  if (!value.is_array()) throw Error("'{}' should be a list, but is {}", key, value.type_name());
  std::vector<std::int64_t> counts;
  for (const Json& item : value) {
    const auto count = whole_number<std::int64_t>(item);
    if (!count || *count < 0)
      throw Error("'{}' should hold whole numbers from 0, but has {}", key, excerpt(item, 40));
    counts.push_back(*count);
  }
  return counts;
}

void check_size(const Entry& entry) {
  const auto& [type, shape, bytes] = entry.array;
  std::uint64_t size = size_of(type);
  for (const std::int64_t extent : shape) {
    if (__builtin_mul_overflow(size, static_cast<std::uint64_t>(extent), &size))
      throw Error("shape {} is larger than any file", shape_text(shape));
  }
  if (entry.end - entry.begin != size)
    throw Error("{} {} needs {} bytes, but 'data_offsets' [{}, {}] have {}", name_of(type),
                shape_text(shape), size, entry.begin, entry.end, entry.end - entry.begin);
}

Entry read_entry(const std::string& name, const Json& value) {
  const auto field = [&](const char* key) -> const Json& {
    const auto found = value.find(key);
    if (found == value.end()) throw Error("'{}' is missing", key);
    return *found;
  };
  try {
    if (!value.is_object())
      throw Error("its entry should be a map with dtype, shape and data_offsets, but is {}",
                  value.type_name());
    Entry entry{name, {read_type(field("dtype")), read_counts("shape", field("shape")), {}}};
    const std::vector<std::int64_t> offsets = read_counts("data_offsets", field("data_offsets"));
    if (offsets.size() != 2 || offsets[0] > offsets[1])
      throw Error("'data_offsets' should be [begin, end], but is {}", shape_text(offsets));
    entry.begin = static_cast<std::uint64_t>(offsets[0]);
    entry.end = static_cast<std::uint64_t>(offsets[1]);
    check_size(entry);
    return entry;
  } catch (const Error& error) {
    fail_in(name, error.what());
  }
}

// The arrays must cover the data exactly: a gap or an overlap means damage.
void check_layout(std::vector<Entry>& entries, std::size_t data_size) {
  std::ranges::sort(entries, {},
                    [](const Entry& entry) { return std::tie(entry.begin, entry.end); });
  const auto check_gap = [](std::uint64_t begin, std::uint64_t end) {
    if (begin == end) return;
    throw Error("the {} bytes from byte {} of the data belong to no array", end - begin, begin);
  };
  std::uint64_t covered = 0;
  for (const Entry& entry : entries) {
    if (entry.end > data_size)
      fail_in(entry.name, fmt::format("it ends at byte {} of the data, but there are only {} "
                                      "bytes; is the file cut short?",
                                      entry.end, data_size));
    if (entry.begin < covered)
      fail_in(entry.name, fmt::format("it begins at byte {} of the data, but the array before it "
                                      "ends at {}",
                                      entry.begin, covered));
    check_gap(covered, entry.begin);
    covered = entry.end;
  }
  check_gap(covered, data_size);
}

TensorFile parse(std::string_view bytes) {
  const std::string_view header = find_header(bytes);
  const std::string_view data = bytes.substr(kLengthBytes + header.size());
  const Json json = parse_header(header);
  TensorFile file;
  std::vector<Entry> entries;
  for (const auto& [name, value] : json.items()) {
    if (name == kMetadata) {
      read_metadata(value, file);
    } else {
      entries.push_back(read_entry(name, value));
    }
  }
  check_layout(entries, data.size());
  for (auto& [name, array, begin, end] : entries) {
    array.bytes = data.substr(begin, end - begin);
    file.arrays.emplace(std::move(name), std::move(array));
  }
  return file;
}

using NamedArray = std::pair<const std::string, Array>;

std::vector<const NamedArray*> in_layout_order(const TensorFile& file) {
  std::vector<const NamedArray*> order;
  for (const NamedArray& item : file.arrays) order.push_back(&item);
  std::stable_sort(order.begin(), order.end(), [](const NamedArray* a, const NamedArray* b) {
    return size_of(a->second.type) > size_of(b->second.type);
  });
  return order;
}

std::string header_text(const TensorFile& file, const std::vector<const NamedArray*>& order) {
  const auto check_text = [](const std::string& text) {
    if (!is_utf8(text)) throw Error("'{}' is not UTF-8", printable(text));
  };
  Json header = Json::object();
  for (const auto& [key, value] : file.metadata) {
    check_text(key);
    check_text(value);
    header[std::string(kMetadata)][key] = value;
  }
  std::size_t begin = 0;
  for (const NamedArray* item : order) {
    const auto& [name, array] = *item;
    check_text(name);
    if (name == kMetadata) throw Error("an array cannot be called '{}'", name);
    assert(array.bytes.size() == static_cast<std::size_t>(array.count()) * size_of(array.type));
    header[name] = {{"dtype", name_of(array.type)},
                    {"shape", array.shape},
                    {"data_offsets", {begin, begin + array.bytes.size()}}};
    begin += array.bytes.size();
  }
  std::string text = header.dump();
  text.resize((text.size() + kLengthBytes - 1) / kLengthBytes * kLengthBytes, ' ');
  return text;
}

}  // namespace

std::size_t size_of(ElementType type) {
  constexpr std::size_t kSizes[] = {4, 8, 4, 8, 1};
  return kSizes[static_cast<std::size_t>(type)];
}

std::string shape_text(std::span<const std::int64_t> shape) {
  std::vector<std::string> parts;
  for (const std::int64_t extent : shape)
    parts.push_back(extent == -1 ? "*" : std::to_string(extent));
  return "[" + join(parts, ", ") + "]";
}

std::int64_t Array::count() const {
  std::int64_t product = 1;
  for (const std::int64_t extent : shape) product *= extent;
  return product;
}

void Array::require(ElementType expected) const {
  if (type == expected) return;
  throw Error("{} was expected, but the array is {} {}", name_of(expected), name_of(type),
              shape_text(shape));
}

const Array& TensorFile::at(std::string_view name) const {
  const auto found = arrays.find(name);
  if (found == arrays.end()) throw Error("no array '{}'; {}", printable(name), names_text(arrays));
  return found->second;
}

const Array& TensorFile::at(std::string_view name, ElementType type,
                            std::span<const std::int64_t> shape) const {
  const Array& array = at(name);
  const bool fits =
      array.type == type &&
      std::equal(shape.begin(), shape.end(), array.shape.begin(), array.shape.end(),
                 [](std::int64_t wanted, std::int64_t is) { return wanted == -1 || wanted == is; });
  if (!fits)
    throw Error("array '{}': {} {} was expected, but it is {} {}", printable(name), name_of(type),
                shape_text(shape), name_of(array.type), shape_text(array.shape));
  return array;
}

Json TensorFile::json(const std::string& key) const {
  const auto found = metadata.find(key);
  if (found == metadata.end()) return nullptr;
  std::optional<Json> json =
      parse_unique(found->second, kDeepestJson, fmt::format("the metadata's '{}'", key));
  if (!json) throw Error("metadata: '{}' is no JSON: {}", key, fit(printable(found->second), 80));
  return *std::move(json);
}

std::string to_safetensors(const TensorFile& file) {
  const std::vector<const NamedArray*> order = in_layout_order(file);
  const std::string header = header_text(file, order);
  const std::uint64_t length = header.size();
  std::size_t total = kLengthBytes + header.size();
  for (const NamedArray* item : order) total += item->second.bytes.size();
  std::string bytes;
  bytes.reserve(total);
  bytes.append(reinterpret_cast<const char*>(&length), kLengthBytes);
  bytes += header;
  for (const NamedArray* item : order) bytes += item->second.bytes;
  return bytes;
}

TensorFile parse_safetensors(std::string_view bytes, const std::string& name) {
  try {
    return parse(bytes);
  } catch (const Error& error) {
    throw error.within(name);
  }
}

TensorFile read_safetensors(FileSystem& files, const Path& path) {
  const std::optional<std::string> bytes = files.read(path);
  if (!bytes) throw Error("{}: no such file", path.string());
  return parse_safetensors(*bytes, path.string());
}

}  // namespace headway
