#include "lib/spec/matrix.h"

#include <fmt/format.h>

#include <algorithm>
#include <unordered_set>

#include "lib/base/text.h"
#include "lib/spec/folder_name.h"

namespace headway {
namespace {

struct MatrixAxis {
  std::string name;
  SourceLocation location;
  std::vector<Value> values;
};

// An axis value as part of an item's name, which is also a folder's name: other characters become
// '_'.
std::string name_part(const MatrixAxis& axis, const Value& value) {
  if (!value.is_scalar()) {
    const auto same = [&](const Value& other) { return to_json(other) == to_json(value); };
    const auto at = std::ranges::find_if(axis.values, same) - axis.values.begin();
    return fmt::format("{}{}", axis.name, at);
  }
  std::string part = value.is_null() ? "null" : value.plain();
  for (char& c : part) {
    if (!has_only({&c, 1}, "._-+")) c = '_';
  }
  constexpr std::size_t kLongest = 60;  // a folder's name has several of them
  return part.empty() ? "_" : part.substr(0, kLongest);
}

class Expander {
 public:
  Expander(const std::string& subject, std::size_t most, Diagnostics& diagnostics)
      : subject_(subject), most_(most), diagnostics_(diagnostics) {}

  std::vector<MatrixItem> expand(const Value& matrix) {
    const std::size_t before = diagnostics_.count();
    if (!matrix.map()) {
      complain(matrix.location, "'matrix' is a map from axes to lists, got {}", matrix.describe());
      return {};
    }
    for (const MapEntry& entry : *matrix.map()) {
      if (entry.key != "include" && entry.key != "exclude") read_axis(entry);
    }
    std::vector<MatrixItem> items = product(matrix.location);
    if (const Value* exclude = matrix.find("exclude")) remove_excluded(*exclude, items);
    if (const Value* include = matrix.find("include")) add_included(*include, items);
    std::unordered_set<std::string> names;
    for (const MatrixItem& item : items) {
      if (!names.insert(item.name).second)
        complain(matrix.location, "two matrix items are called '{}'", item.name);
      if (item.name.ends_with(kStaleSuffix))
        complain(matrix.location,
                 "a matrix item's name cannot end in '{}', got '{}': folders of results that are "
                 "no longer current do",
                 kStaleSuffix, item.name);
    }
    if (items.empty() && diagnostics_.count() == before)
      complain(matrix.location, "the matrix has no items");
    return items;
  }

 private:
  template <class... Values>
  void complain(const SourceLocation& location, fmt::format_string<Values...> format,
                Values&&... values) {
    diagnostics_.add(location, "{}: {}", subject_,
                     fmt::format(format, std::forward<Values>(values)...));
  }

  void read_axis(const MapEntry& entry) {
    if (!entry.value.list() || entry.value.list()->empty())
      return complain(entry.value.location, "matrix axis '{}' needs a list with at least one value",
                      entry.key);
    axes_.push_back({entry.key, entry.key_location, *entry.value.list()});
  }

  MatrixItem make_item(std::vector<MapEntry> values, const SourceLocation& location) const {
    std::string name;
    Coordinates coordinates;
    for (const MatrixAxis& axis : axes_) {
      for (const MapEntry& entry : values) {
        if (entry.key != axis.name) continue;
        coordinates.push_back({axis.name, entry.value.plain(), name_part(axis, entry.value)});
        name += (name.empty() ? "" : "-") + coordinates.back().name;
      }
    }
    return {name, {std::move(values), location}, std::move(coordinates)};
  }

  std::vector<MatrixItem> product(const SourceLocation& location) {
    std::size_t count = axes_.empty() ? 0 : 1;
    for (const MatrixAxis& axis : axes_) {
      if (axis.values.size() > most_ / count)
        throw PipelineError(
            "{}: {}: the matrix has too many items: the pipeline has room for {} more stages",
            location.text(), subject_, most_);
      count *= axis.values.size();
    }
    std::size_t largest = 0;  // an axis value that is a list or a map is copied into every item
    for (const MatrixAxis& axis : axes_) {
      for (const Value& value : axis.values) {
        if (!value.is_scalar()) largest = std::max(largest, to_json(value).dump().size());
      }
    }
    constexpr std::size_t kMostBytes = 64 << 20;
    if (largest > kMostBytes / std::max<std::size_t>(1, count))
      throw PipelineError("{}: {}: the matrix is too large", location.text(), subject_);
    std::vector<MatrixItem> items;
    items.reserve(count);
    for (std::size_t index = 0; index < count; ++index) {
      std::vector<MapEntry> values(axes_.size());
      std::size_t rest = index;
      for (std::size_t i = axes_.size(); i-- > 0; rest /= axes_[i].values.size())
        values[i] = {axes_[i].name, axes_[i].location,
                     axes_[i].values[rest % axes_[i].values.size()]};
      items.push_back(make_item(std::move(values), location));
    }
    return items;
  }

  // Whether the item has every entry of the pattern.
  static bool matches(const Value& pattern, const MatrixItem& item) {
    return std::all_of(pattern.map()->begin(), pattern.map()->end(), [&](const MapEntry& entry) {
      const Value* value = item.values.find(entry.key);
      return value && to_json(*value) == to_json(entry.value);
    });
  }

  // The maps of include or exclude that name only axes; the others are mistakes.
  std::vector<const Value*> patterns(const Value& list, const char* key) {
    std::vector<const Value*> result;
    const std::vector<std::string> names = texts_of(axes_, &MatrixAxis::name);
    if (!list.list()) {
      complain(list.location, "'{}' is a list of maps, got {}", key, list.describe());
      return result;
    }
    for (const Value& pattern : *list.list()) {
      if (!pattern.map()) {
        complain(pattern.location, "'{}' is a list of maps, got {} in it", key, pattern.describe());
        continue;
      }
      bool known = true;
      for (const MapEntry& entry : *pattern.map()) {
        if (std::find(names.begin(), names.end(), entry.key) != names.end()) continue;
        known = false;
        complain(entry.key_location, "unknown matrix axis '{}'{}", printable(entry.key),
                 did_you_mean(entry.key, names));
      }
      if (known) result.push_back(&pattern);
    }
    return result;
  }

  void remove_excluded(const Value& exclude, std::vector<MatrixItem>& items) {
    for (const Value* pattern : patterns(exclude, "exclude")) {
      const std::size_t removed =
          std::erase_if(items, [&](const MatrixItem& item) { return matches(*pattern, item); });
      if (removed == 0) complain(pattern->location, "this 'exclude' matches no item");
    }
  }

  void add_included(const Value& include, std::vector<MatrixItem>& items) {
    for (const Value* pattern : patterns(include, "include")) {
      for (const MatrixAxis& axis : axes_) {
        if (!pattern->find(axis.name))
          complain(pattern->location, "this 'include' lacks axis '{}'", axis.name);
      }
      items.push_back(make_item(*pattern->map(), pattern->location));
    }
  }

  const std::string& subject_;
  const std::size_t most_;
  Diagnostics& diagnostics_;
  std::vector<MatrixAxis> axes_;
};

}  // namespace

std::vector<MatrixItem> expand_matrix(const Value& matrix, const std::string& subject,
                                      std::size_t most, Diagnostics& diagnostics) {
  return Expander(subject, most, diagnostics).expand(matrix);
}

}  // namespace headway
