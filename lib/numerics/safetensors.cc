#include "lib/numerics/safetensors.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cassert>
#include <cstring>
#include <limits>
#include <optional>
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

struct TypeFacts {
  ElementType type;
  std::string_view name;
  std::size_t size;
};
constexpr TypeFacts kTypes[] = {{ElementType::kF32, "F32", 4},
                                {ElementType::kF64, "F64", 8},
                                {ElementType::kI32, "I32", 4},
                                {ElementType::kI64, "I64", 8},
                                {ElementType::kU8, "U8", 1}};

const TypeFacts& facts_of(ElementType type) {
  return kTypes[static_cast<std::size_t>(type)];
}

template <class T>
Array array_of(ElementType type, std::vector<std::int64_t> shape, std::span<const T> values) {
  Array array{type, std::move(shape), {}};
  assert(array.count() == static_cast<std::int64_t>(values.size()));
  array.bytes.assign(reinterpret_cast<const char*>(values.data()), values.size_bytes());
  return array;
}

template <class T>
std::vector<T> elements(const Array& array, ElementType type) {
  if (array.type != type) {
    throw Error(fmt::format("{} was expected, but the array is {} {}", name_of(type),
                            name_of(array.type), shape_text(array.shape)));
  }
  std::vector<T> values(array.bytes.size() / sizeof(T));
  if (!values.empty()) std::memcpy(values.data(), array.bytes.data(), values.size() * sizeof(T));
  return values;
}

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
  ElementType type = ElementType::kF32;
  std::vector<std::int64_t> shape;
  std::uint64_t begin = 0;  // bytes from the end of the header
  std::uint64_t end = 0;
};

// Parses one file. Holds its name for messages.
class Parser {
 public:
  Parser(std::string_view bytes, const std::string& name) : bytes_(bytes), name_(name) {}

  TensorFile parse() const {
    const std::string_view header = find_header();
    const std::string_view data = bytes_.substr(kLengthBytes + header.size());
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
    for (Entry& entry : entries) {
      Array array{entry.type, std::move(entry.shape),
                  std::string(data.substr(entry.begin, entry.end - entry.begin))};
      file.arrays.emplace(std::move(entry.name), std::move(array));
    }
    return file;
  }

 private:
  [[noreturn]] void fail(const std::string& message) const {
    throw Error(fmt::format("{}: {}", name_, message));
  }
  [[noreturn]] void fail_in(const std::string& array, const std::string& message) const {
    fail(fmt::format("array '{}': {}", fit(printable(array), 80), message));
  }

  std::string_view find_header() const {
    if (bytes_.size() < kLengthBytes) {
      fail(
          fmt::format("not a safetensors file: it should start with an 8-byte length, but it has "
                      "{} bytes",
                      bytes_.size()));
    }
    std::uint64_t length = 0;
    std::memcpy(&length, bytes_.data(), kLengthBytes);
    if (length > kMostHeader) {
      fail(
          fmt::format("not a safetensors file: its first 8 bytes say that the header has {} "
                      "bytes; at most {} are allowed",
                      length, kMostHeader));
    }
    const std::size_t rest = bytes_.size() - kLengthBytes;
    if (length > rest) {
      fail(
          fmt::format("the header should have {} bytes, but only {} follow; is the file cut short?",
                      length, rest));
    }
    return bytes_.substr(kLengthBytes, length);
  }

  // Checks duplicate keys and nesting itself: the JSON parser would accept duplicates, and deep
  // nesting would cost much memory.
  Json parse_header(std::string_view header) const {
    std::vector<std::set<std::string>> keys(kDeepestHeader + 1);  // of the open object, by depth
    const auto watch = [&](int depth, Json::parse_event_t event, Json& value) {
      if (event == Json::parse_event_t::object_start || event == Json::parse_event_t::array_start) {
        if (depth >= kDeepestHeader) fail("the header is nested too deeply");
        keys[static_cast<std::size_t>(depth) + 1].clear();
      } else if (event == Json::parse_event_t::key) {
        const std::string& key = value.get_ref<const std::string&>();
        if (!keys[static_cast<std::size_t>(depth)].insert(key).second) {
          fail(fmt::format("'{}' is twice in the header", fit(printable(key), 80)));
        }
      }
      return true;
    };
    const std::string no_object = "not a safetensors file: the header is not a JSON object";
    if (!header.starts_with('{')) fail(no_object);
    std::optional<Json> json = parse_json(header, watch);
    if (!json) fail(fmt::format("{}: {}", no_object, json_mistake(header)));
    return *std::move(json);
  }

  void read_metadata(const Json& metadata, TensorFile& file) const {
    if (!metadata.is_object()) {
      fail(
          fmt::format("'{}' should be a map of texts, but is {}", kMetadata, metadata.type_name()));
    }
    for (const auto& [key, value] : metadata.items()) {
      if (!value.is_string()) {
        fail(fmt::format("'{}': the value of '{}' should be text, but is {}", kMetadata,
                         fit(printable(key), 80), value.type_name()));
      }
      file.metadata.emplace(key, value.get<std::string>());
    }
  }

  Entry read_entry(const std::string& name, const Json& value) const {
    if (!value.is_object()) {
      fail_in(name, fmt::format("its entry should be a map with dtype, shape and data_offsets, but "
                                "is {}",
                                value.type_name()));
    }
    Entry entry;
    entry.name = name;
    entry.type = read_type(name, field(name, value, "dtype"));
    entry.shape = read_counts(name, "shape", field(name, value, "shape"));
    const std::vector<std::int64_t> offsets =
        read_counts(name, "data_offsets", field(name, value, "data_offsets"));
    if (offsets.size() != 2 || offsets[0] > offsets[1]) {
      fail_in(name,
              fmt::format("'data_offsets' should be [begin, end], but is {}", shape_text(offsets)));
    }
    entry.begin = static_cast<std::uint64_t>(offsets[0]);
    entry.end = static_cast<std::uint64_t>(offsets[1]);
    check_size(entry);
    return entry;
  }

  const Json& field(const std::string& name, const Json& entry, const char* key) const {
    const auto found = entry.find(key);
    if (found == entry.end()) fail_in(name, fmt::format("'{}' is missing", key));
    return *found;
  }

  ElementType read_type(const std::string& name, const Json& value) const {
    const std::string text = value.is_string() ? value.get<std::string>() : value.type_name();
    std::vector<std::string> known;
    for (const TypeFacts& facts : kTypes) {
      if (value.is_string() && text == facts.name) return facts.type;
      known.emplace_back(facts.name);
    }
    fail_in(name, fmt::format("elements of type '{}' cannot be read; {} can",
                              fit(printable(text), 40), join(known, ", ")));
  }

  std::vector<std::int64_t> read_counts(const std::string& name, const char* key,
                                        const Json& value) const {
    const auto is_count = [](const Json& item) {
      return item.is_number_unsigned() &&
             item.get<std::uint64_t>() <=
                 static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max());
    };
    if (!value.is_array()) {
      fail_in(name, fmt::format("'{}' should be a list, but is {}", key, value.type_name()));
    }
    std::vector<std::int64_t> counts;
    for (const Json& item : value) {
      if (!is_count(item)) {
        fail_in(name, fmt::format("'{}' should hold whole numbers from 0, but has {}", key,
                                  excerpt(item, 40)));
      }
      counts.push_back(item.get<std::int64_t>());
    }
    return counts;
  }

  void check_size(const Entry& entry) const {
    std::uint64_t size = size_of(entry.type);
    for (const std::int64_t extent : entry.shape) {
      if (__builtin_mul_overflow(size, static_cast<std::uint64_t>(extent), &size)) {
        fail_in(entry.name,
                fmt::format("shape {} is larger than any file", shape_text(entry.shape)));
      }
    }
    if (entry.end - entry.begin != size) {
      fail_in(entry.name, fmt::format("{} {} needs {} bytes, but 'data_offsets' [{}, {}] have {}",
                                      name_of(entry.type), shape_text(entry.shape), size,
                                      entry.begin, entry.end, entry.end - entry.begin));
    }
  }

  // The arrays must cover the data exactly: a gap or an overlap means damage.
  void check_layout(std::vector<Entry>& entries, std::size_t data_size) const {
    std::sort(entries.begin(), entries.end(), [](const Entry& a, const Entry& b) {
      return std::tie(a.begin, a.end) < std::tie(b.begin, b.end);
    });
    std::uint64_t covered = 0;
    for (const Entry& entry : entries) {
      if (entry.end > data_size) {
        fail_in(entry.name, fmt::format("it ends at byte {} of the data, but there are only {} "
                                        "bytes; is the file cut short?",
                                        entry.end, data_size));
      }
      if (entry.begin < covered) {
        fail_in(entry.name, fmt::format("it begins at byte {} of the data, but the array before it "
                                        "ends at {}",
                                        entry.begin, covered));
      }
      if (entry.begin > covered) fail_unowned(covered, entry.begin);
      covered = entry.end;
    }
    if (covered < data_size) fail_unowned(covered, data_size);
  }
  [[noreturn]] void fail_unowned(std::uint64_t begin, std::uint64_t end) const {
    fail(fmt::format("the {} bytes from byte {} of the data belong to no array", end - begin,
                     begin));
  }

  std::string_view bytes_;
  const std::string& name_;
};

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
    if (!is_utf8(text)) throw Error(fmt::format("'{}' is not UTF-8", printable(text)));
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
    if (name == kMetadata) throw Error(fmt::format("an array cannot be called '{}'", name));
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

std::string_view name_of(ElementType type) {
  return facts_of(type).name;
}

std::size_t size_of(ElementType type) {
  return facts_of(type).size;
}

std::string shape_text(std::span<const std::int64_t> shape) {
  std::vector<std::string> parts;
  for (const std::int64_t extent : shape) {
    parts.push_back(extent == -1 ? "*" : std::to_string(extent));
  }
  return "[" + join(parts, ", ") + "]";
}

Array Array::of(std::vector<std::int64_t> shape, std::span<const float> values) {
  return array_of(ElementType::kF32, std::move(shape), values);
}
Array Array::of(std::vector<std::int64_t> shape, std::span<const double> values) {
  return array_of(ElementType::kF64, std::move(shape), values);
}
Array Array::of(std::vector<std::int64_t> shape, std::span<const std::int32_t> values) {
  return array_of(ElementType::kI32, std::move(shape), values);
}
Array Array::of(std::vector<std::int64_t> shape, std::span<const std::int64_t> values) {
  return array_of(ElementType::kI64, std::move(shape), values);
}

std::int64_t Array::count() const {
  std::int64_t product = 1;
  for (const std::int64_t extent : shape) product *= extent;
  return product;
}

std::vector<float> Array::floats() const {
  return elements<float>(*this, ElementType::kF32);
}
std::vector<double> Array::doubles() const {
  return elements<double>(*this, ElementType::kF64);
}
std::vector<std::int32_t> Array::ints() const {
  return elements<std::int32_t>(*this, ElementType::kI32);
}
std::vector<std::int64_t> Array::longs() const {
  return elements<std::int64_t>(*this, ElementType::kI64);
}

const Array& TensorFile::at(std::string_view name) const {
  const auto found = arrays.find(name);
  if (found == arrays.end()) {
    throw Error(fmt::format("no array '{}'; {}", printable(name), names_text(arrays)));
  }
  return found->second;
}

const Array& TensorFile::at(std::string_view name, ElementType type,
                            std::span<const std::int64_t> shape) const {
  const Array& array = at(name);
  const bool fits =
      array.type == type &&
      std::equal(shape.begin(), shape.end(), array.shape.begin(), array.shape.end(),
                 [](std::int64_t wanted, std::int64_t is) { return wanted == -1 || wanted == is; });
  if (!fits) {
    throw Error(fmt::format("array '{}': {} {} was expected, but it is {} {}", printable(name),
                            name_of(type), shape_text(shape), name_of(array.type),
                            shape_text(array.shape)));
  }
  return array;
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
  return Parser(bytes, name).parse();
}

TensorFile read_safetensors(FileSystem& files, const Path& path) {
  const std::optional<std::string> bytes = files.read(path);
  if (!bytes) throw Error(fmt::format("{}: no such file", path.string()));
  return parse_safetensors(*bytes, path.string());
}

}  // namespace headway
