#include "lib/spec/yaml.h"

#include <yaml-cpp/eventhandler.h>
#include <yaml-cpp/exceptions.h>
#include <yaml-cpp/parser.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <istream>
#include <limits>
#include <streambuf>
#include <unordered_map>

#include "lib/base/text.h"

namespace headway {
namespace {

constexpr std::string_view kMergeKey = "<<";

// Reads the caller's bytes in place: a std::istringstream would copy them.
class ViewBuffer : public std::streambuf {
 public:
  explicit ViewBuffer(std::string_view text) {
    char* begin = const_cast<char*>(text.data());
    setg(begin, begin, begin + text.size());
  }
};

// Builds the value from the parser's events. Throws PipelineError if a limit is exceeded.
class Builder final : public YAML::EventHandler {
 public:
  Builder(const std::string* source, Diagnostics& diagnostics, const YamlLimits& limits)
      : source_(source), diagnostics_(diagnostics), limits_(limits) {}

  std::optional<Value> root;

  void OnDocumentStart(const YAML::Mark&) override {}
  void OnDocumentEnd() override {}
  void OnNull(const YAML::Mark& location, YAML::anchor_t anchor) override {
    count(1, place(location));
    add({{}, place(location)}, anchor);
  }

  void OnAlias(const YAML::Mark& location, YAML::anchor_t anchor) override {
    const auto found = anchors_.find(anchor);
    if (found == anchors_.end())
      throw PipelineError(place(location).text() + ": an alias cannot stand inside its own anchor");
    count(size_of(found->second), place(location));
    add(Value(found->second), YAML::NullAnchor);
  }

  void OnScalar(const YAML::Mark& location, const std::string& tag, YAML::anchor_t anchor,
                const std::string& text) override {
    const SourceLocation where = place(location);
    count(1, where);
    Frame* frame = open_.empty() ? nullptr : &open_.back();
    if (frame && frame->value.map() && !frame->key) {
      take_key(*frame, text, where);
      return;
    }
    const bool quoted = tag == "!" || tag == "tag:yaml.org,2002:str";
    if (!quoted && tag != "?" && !tag.empty())
      diagnostics_.add(where, "the tag '{}' is not supported", printable(tag));
    Value value = quoted ? Value{text, where} : plain_scalar(text, where);
    if (value.real() && !std::isfinite(*value.real()))
      diagnostics_.add(where, "the number {} is out of range", printable(text));
    add(std::move(value), anchor);
  }

  void OnSequenceStart(const YAML::Mark& location, const std::string&, YAML::anchor_t anchor,
                       YAML::EmitterStyle::value) override {
    open({ValueList(), place(location)}, anchor);
  }
  void OnSequenceEnd() override { close(); }
  void OnMapStart(const YAML::Mark& location, const std::string&, YAML::anchor_t anchor,
                  YAML::EmitterStyle::value) override {
    open({ValueMap(), place(location)}, anchor);
  }
  void OnMapEnd() override {
    merge_bases(open_.back());
    close();
  }

  SourceLocation place(const YAML::Mark& location) const {
    return {source_, location.line + 1, location.column + 1};
  }

 private:
  struct Frame {
    Value value;
    YAML::anchor_t anchor;
    std::optional<std::string> key;  // of a map: read, its value still to come
    SourceLocation key_location;
    std::unordered_map<std::string, int> lines;  // keys seen, with their line
    std::vector<Value> bases;                    // values of `<<`
  };

  void count(std::size_t nodes, const SourceLocation& where) {
    nodes_ += nodes;
    if (nodes_ > limits_.nodes)
      throw PipelineError("{}: too large: more than {} values once aliases are expanded",
                          where.text(), limits_.nodes);
  }

  static std::size_t size_of(const Value& value) {
    std::size_t size = 1;
    if (const ValueList* list = value.list()) {
      for (const Value& item : *list) size += size_of(item);
    } else if (const ValueMap* map = value.map()) {
      for (const MapEntry& entry : *map) size += size_of(entry.value);
    }
    return size;
  }

  void take_key(Frame& frame, const std::string& text, const SourceLocation& where) {
    const auto [seen, is_new] = frame.lines.emplace(text, where.line);
    if (!is_new && text != kMergeKey)
      diagnostics_.add(where, "duplicate key '{}', first on line {}", printable(text),
                       seen->second);
    frame.key = text;
    frame.key_location = where;
  }

  void open(Value value, YAML::anchor_t anchor) {
    count(1, value.location);
    if (open_.size() >= limits_.depth)
      throw PipelineError("{}: nested too deeply: more than {} levels", value.location.text(),
                          limits_.depth);
    if (!open_.empty() && open_.back().value.map() && !open_.back().key)
      throw PipelineError(value.location.text() + ": a key must be text, not a list or a map");
    open_.push_back({std::move(value), anchor, std::nullopt, {}, {}, {}});
  }

  void close() {
    Value value = std::move(open_.back().value);
    const YAML::anchor_t anchor = open_.back().anchor;
    open_.pop_back();
    add(std::move(value), anchor);
  }

  void add(Value value, YAML::anchor_t anchor) {
    if (anchor != YAML::NullAnchor) {
      count(size_of(value), value.location);  // the copy kept for aliases takes memory too
      anchors_[anchor] = value;
    }
    if (open_.empty()) {
      root = std::move(value);
      return;
    }
    Frame& frame = open_.back();
    if (ValueList* list = frame.value.list()) {
      list->push_back(std::move(value));
      return;
    }
    if (!frame.key) {  // a null, or an alias, as a key
      throw PipelineError(value.location.text() + ": a key must be text");
    }
    if (value.is_null())
      value.location = frame.key_location;  // the parser gives the place of the next token
    if (*frame.key == kMergeKey) {
      frame.bases.push_back(std::move(value));
    } else {
      frame.value.map()->push_back({std::move(*frame.key), frame.key_location, std::move(value)});
    }
    frame.key.reset();
  }

  // `<<: *base` and `<<: [*a, *b]` add the entries that the map lacks.
  void merge_bases(Frame& frame) {
    ValueMap& map = *frame.value.map();
    const auto merge = [&](const Value& base) {
      if (!base.map())
        return diagnostics_.add(base.location, "'<<' merges maps, got {}", base.describe());
      for (const MapEntry& entry : *base.map()) {
        if (frame.lines.emplace(entry.key, entry.key_location.line).second) map.push_back(entry);
      }
    };
    for (const Value& base : frame.bases) std::ranges::for_each(items_of(base), merge);
  }

  const std::string* source_;
  Diagnostics& diagnostics_;
  const YamlLimits limits_;
  std::size_t nodes_ = 0;
  std::vector<Frame> open_;
  std::unordered_map<YAML::anchor_t, Value> anchors_;
};

// Line and column of a byte, for mistakes found before the parser sees the text.
SourceLocation location_of(std::string_view text, std::size_t offset, const std::string* source) {
  const std::string_view before = text.substr(0, offset);
  const std::size_t line_start = before.rfind('\n') + 1;
  return {source, static_cast<int>(std::ranges::count(before, '\n')) + 1,
          static_cast<int>(before.size() - line_start) + 1};
}

// A tab in the indentation of this line (from 1) or of the one above, where the parser notices.
std::optional<std::size_t> find_tab(std::string_view text, int line) {
  std::optional<std::size_t> found;
  std::size_t start = 0;
  for (int i = 1; i <= line && start < text.size(); ++i) {
    const std::size_t first = text.find_first_not_of(' ', start);
    if (i + 1 >= line && first != std::string_view::npos && text[first] == '\t') found = first;
    const std::size_t end = text.find('\n', start);
    start = end == std::string_view::npos ? text.size() : end + 1;
  }
  return found;
}

// NUL bytes and text that is not UTF-8 never reach the parser.
bool check_bytes(std::string_view text, const std::string* source, Diagnostics& diagnostics) {
  if (const std::size_t nul = text.find('\0'); nul != std::string_view::npos) {
    diagnostics.add(location_of(text, nul, source), "a NUL byte: this is not a text file");
    return false;
  }
  if (is_utf8(text)) return true;
  std::size_t start = 0;
  for (;;) {  // the first line that is not UTF-8
    const std::size_t end = std::min(text.find('\n', start), text.size());
    if (!is_utf8(text.substr(start, end - start))) break;
    start = end + 1;
  }
  diagnostics.add(location_of(text, start, source), "not UTF-8 text");
  return false;
}

std::optional<std::int64_t> parse_integer(std::string_view text) {
  int base = 10;
  const bool negative = text.starts_with('-');
  if (negative || text.starts_with('+')) text.remove_prefix(1);
  if (text.starts_with("0x")) base = 16;
  if (text.starts_with("0o")) base = 8;
  if (base != 10) text.remove_prefix(2);
  if (text.empty() || text[0] == '-' || text[0] == '+') return std::nullopt;
  std::uint64_t magnitude = 0;
  const auto [end, error] =
      std::from_chars(text.data(), text.data() + text.size(), magnitude, base);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  const auto most = static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max());
  if (magnitude > most) return std::nullopt;
  return negative ? -static_cast<std::int64_t>(magnitude) : static_cast<std::int64_t>(magnitude);
}

std::optional<double> parse_real(std::string_view text) {
  if (text.starts_with('+')) text.remove_prefix(1);
  const std::size_t first = text.starts_with('-') ? 1 : 0;
  const std::size_t digit = first + (text.substr(first).starts_with('.') ? 1 : 0);
  if (digit >= text.size() || text.find_first_of("0123456789", digit) != digit)
    return std::nullopt;  // "inf" and "nan" are words here
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (end != text.data() + text.size()) return std::nullopt;
  if (error == std::errc::result_out_of_range) return std::numeric_limits<double>::infinity();
  return error == std::errc() ? std::optional(value) : std::nullopt;
}

}  // namespace

Value plain_scalar(const std::string& text, const SourceLocation& location) {
  if (text.empty() || text == "~" || text == "null" || text == "Null" || text == "NULL")
    return {{}, location};
  if (text == "true" || text == "True" || text == "TRUE") return {true, location};
  if (text == "false" || text == "False" || text == "FALSE") return {false, location};
  if (const auto integer = parse_integer(text)) return {*integer, location};
  if (const auto real = parse_real(text)) return {*real, location};
  return {text, location};
}

std::optional<Value> parse_yaml(std::string_view text, const std::string* source,
                                Diagnostics& diagnostics, const YamlLimits& limits) {
  if (text.size() > limits.bytes) {
    diagnostics.add({source}, "the file is {}; at most {} are read", format_bytes(text.size()),
                    format_bytes(limits.bytes));
    return std::nullopt;
  }
  if (!check_bytes(text, source, diagnostics)) return std::nullopt;
  ViewBuffer buffer(text);
  std::istream stream(&buffer);
  Builder builder(source, diagnostics, limits);
  try {
    YAML::Parser parser(stream);
    if (!parser.HandleNextDocument(builder) || !builder.root) return Value{{}, {source, 1, 1}};
    std::optional<Value> root = std::move(builder.root);
    Builder second(source, diagnostics, limits);
    if (parser.HandleNextDocument(second))
      diagnostics.add(second.root ? second.root->location : SourceLocation{source, 1, 1},
                      "a second document in the file; there can be only one");
    return root;
  } catch (const YAML::Exception& error) {
    const SourceLocation place = builder.place(error.mark);
    if (const auto tab = find_tab(text, place.line))
      diagnostics.add(location_of(text, *tab, source),
                      "not valid YAML: a tab in the indentation; use spaces");
    else
      diagnostics.add(place, "not valid YAML: " + error.msg);
  }
  return std::nullopt;
}

}  // namespace headway
