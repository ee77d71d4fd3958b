#include "lib/spec/item_selector.h"

#include <fmt/format.h>

#include <algorithm>

#include "lib/base/text.h"

namespace headway {

ItemSelector::ItemSelector(std::string_view text) {
  for (const std::string& part : split(text, ',')) {
    const std::size_t equals = part.find('=');
    if (part == "*")
      is_many_ = true;
    else if (equals == std::string::npos)
      parts_.push_back({"", part});
    else
      parts_.push_back({part.substr(0, equals), part.substr(equals + 1)});
  }
}

bool ItemSelector::is_selector(std::string_view text) {
  return text.find_first_of("=*") != std::string_view::npos;
}

bool ItemSelector::has(const Coordinates& coordinates, const Part& part) {
  return std::ranges::any_of(coordinates, [&](const Coordinate& coordinate) {
    return coordinate.axis == part.axis &&
           (coordinate.value == part.value || coordinate.name == part.value);
  });
}

bool ItemSelector::matches(const StageSpec& stage) const {
  std::vector<const Part*> of_variation;
  for (const Part& part : parts_) {
    if (part.axis.empty() ? stage.item != part.value : !has(stage.axes, part))
      of_variation.push_back(&part);
  }
  if (of_variation.empty()) return true;
  // One variation must have all of them: each alone may be met by another.
  return std::ranges::any_of(stage.variations, [&](const auto& variation) {
    return std::ranges::all_of(of_variation,
                               [&](const Part* part) { return has(*variation, *part); });
  });
}

std::string ItemSelector::why_none(const std::vector<const StageSpec*>& stages) const {
  std::vector<std::string> axes;
  const auto visit = [&](const auto& use) {
    for (const StageSpec* stage : stages) {
      for (const Coordinate& coordinate : stage->axes) use(coordinate);
      for (const auto& variation : stage->variations) {
        for (const Coordinate& coordinate : *variation) use(coordinate);
      }
    }
  };
  visit([&](const Coordinate& coordinate) { place_of(coordinate.axis, axes); });
  const std::string& family = stages.front()->family;
  for (const Part& part : parts_) {
    if (part.axis.empty() || std::ranges::find(axes, part.axis) != axes.end()) continue;
    return fmt::format("stage '{}' has no axis '{}'{} (it has {})", family, printable(part.axis),
                       did_you_mean(part.axis, axes), join(axes, ", "));
  }
  for (const Part& part : parts_) {
    std::vector<std::string> values;
    visit([&](const Coordinate& coordinate) {
      if (coordinate.axis == part.axis) place_of(coordinate.name, values);
    });
    ItemSelector alone("");
    alone.parts_ = {part};
    if (std::ranges::any_of(stages, [&](const StageSpec* stage) { return alone.matches(*stage); }))
      continue;
    if (part.axis.empty())
      return fmt::format("stage '{}' has no matrix item '{}'", family, printable(part.value));
    return fmt::format("stage '{}' has no item with {}={}; {} is {}", family, part.axis,
                       printable(part.value), part.axis, first_of(values, 8));
  }
  return fmt::format("stage '{}' has no item with all of these values", family);
}

}  // namespace headway
