#include "lib/spec/parse_cache.h"

#include <cstring>

#include "lib/base/digest.h"
#include "lib/base/error.h"
#include "lib/spec/yaml.h"

namespace headway {
namespace {

constexpr std::size_t kWorthKeeping = 32 << 10;  // bytes of text
constexpr std::string_view kFormat = "headway parsed yaml 1\n";
constexpr int kDeepestKept = 100;  // deeper than any file can be

enum class Tag : char { kNull, kFalse, kTrue, kInt, kFloat, kText, kList, kMap };

class Encoder {
 public:
  std::string bytes;

  void add(const Value& value) {
    if (const bool* boolean = value.boolean()) {
      head(*boolean ? Tag::kTrue : Tag::kFalse, value.location);
    } else if (const std::int64_t* integer = value.integer()) {
      head(Tag::kInt, value.location);
      raw(*integer);
    } else if (const double* real = value.real()) {
      head(Tag::kFloat, value.location);
      raw(*real);
    } else if (const std::string* text = value.text()) {
      head(Tag::kText, value.location);
      string(*text);
    } else if (const ValueList* list = value.list()) {
      head(Tag::kList, value.location);
      number(list->size());
      for (const Value& item : *list) add(item);
    } else if (const ValueMap* map = value.map()) {
      head(Tag::kMap, value.location);
      number(map->size());
      for (const MapEntry& entry : *map) {
        string(entry.key);
        location(entry.key_location);
        add(entry.value);
      }
    } else {
      head(Tag::kNull, value.location);
    }
  }

 private:
  void head(Tag tag, const SourceLocation& where) {
    bytes += static_cast<char>(tag);
    location(where);
  }
  void location(const SourceLocation& where) {
    number(static_cast<std::uint64_t>(where.line));
    number(static_cast<std::uint64_t>(where.column));
  }
  void number(std::uint64_t value) {  // seven bits a byte, the last one first
    for (; value >= 0x80; value >>= 7) bytes += static_cast<char>(value | 0x80);
    bytes += static_cast<char>(value);
  }
  void string(const std::string& text) {
    number(text.size());
    bytes += text;
  }
  template <class Number>
  void raw(Number value) {
    char buffer[sizeof value];
    std::memcpy(buffer, &value, sizeof value);
    bytes.append(buffer, sizeof value);
  }
};

// The bytes carry a digest, so that what is read here is what was written; bounds are checked all
// the same.
class Decoder {
 public:
  Decoder(std::string_view bytes, const std::string* source) : rest_(bytes), source_(source) {}

  Value value(int depth = 0) {
    const Tag tag = static_cast<Tag>(take(1)[0]);
    Value result{{}, location()};
    if (depth > kDeepestKept) throw Error("damaged");
    switch (tag) {
      case Tag::kNull:
        break;
      case Tag::kFalse:
        result.data = false;
        break;
      case Tag::kTrue:
        result.data = true;
        break;
      case Tag::kInt:
        result.data = raw<std::int64_t>();
        break;
      case Tag::kFloat:
        result.data = raw<double>();
        break;
      case Tag::kText:
        result.data = std::string(take(number()));
        break;
      case Tag::kList: {
        ValueList list(checked(number()));
        for (Value& item : list) item = value(depth + 1);
        result.data = std::move(list);
        break;
      }
      case Tag::kMap: {
        ValueMap map(checked(number()));
        for (MapEntry& entry : map) {
          entry.key = take(number());
          entry.key_location = location();
          entry.value = value(depth + 1);
        }
        result.data = std::move(map);
        break;
      }
      default:
        throw Error("damaged");
    }
    return result;
  }

  bool at_end() const { return rest_.empty(); }

 private:
  std::string_view take(std::uint64_t count) {
    if (count > rest_.size()) throw Error("damaged");
    const std::string_view taken = rest_.substr(0, count);
    rest_.remove_prefix(count);
    return taken;
  }
  std::uint64_t checked(std::uint64_t count) const {
    if (count > rest_.size()) throw Error("damaged");  // an item takes at least a byte
    return count;
  }
  std::uint64_t number() {
    std::uint64_t value = 0;
    for (int shift = 0; shift < 64; shift += 7) {
      const auto byte = static_cast<unsigned char>(take(1)[0]);
      value |= static_cast<std::uint64_t>(byte & 0x7F) << shift;
      if (byte < 0x80) return value;
    }
    throw Error("damaged");
  }
  SourceLocation location() {
    const auto line = static_cast<int>(number());
    return {source_, line, static_cast<int>(number())};
  }
  template <class Number>
  Number raw() {
    Number value;
    std::memcpy(&value, take(sizeof value).data(), sizeof value);
    return value;
  }

  std::string_view rest_;
  const std::string* source_;
};

}  // namespace

std::string encode(const Value& value) {
  Encoder encoder;
  encoder.bytes = kFormat;
  encoder.add(value);
  return encoder.bytes + digest_of(encoder.bytes).hex();
}

std::optional<Value> decode(std::string_view bytes, const std::string* source) {
  constexpr std::size_t kHex = 2 * Digest::kBytes;
  if (bytes.size() < kFormat.size() + kHex || !bytes.starts_with(kFormat)) return std::nullopt;
  const std::string_view payload = bytes.substr(0, bytes.size() - kHex);
  if (digest_of(payload).hex() != bytes.substr(payload.size())) return std::nullopt;
  try {
    Decoder decoder(payload.substr(kFormat.size()), source);
    Value value = decoder.value();
    if (decoder.at_end()) return value;
  } catch (const Error&) {
  }
  return std::nullopt;
}

std::optional<Value> ParseCache::parse(std::string_view text, const std::string* source,
                                       Diagnostics& diagnostics) {
  if (text.size() < kWorthKeeping || folder_.empty() || !files_.exists(folder_))
    return parse_yaml(text, source, diagnostics);
  const Path kept = folder_ / digest_of(text).hex();
  if (const std::optional<std::string> bytes = files_.read(kept)) {
    if (std::optional<Value> value = decode(*bytes, source)) return value;
  }
  const std::size_t mistakes = diagnostics.count();
  std::optional<Value> value = parse_yaml(text, source, diagnostics);
  if (value && diagnostics.count() == mistakes) {
    try {
      files_.replace(kept, encode(*value));
    } catch (const Error&) {  // a full disk is no reason not to read a pipeline
    }
  }
  return value;
}

}  // namespace headway
