#include "lib/extrapolation/figures/length_models.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "lib/base/error.h"
#include "lib/base/text.h"
#include "lib/figures/checks.h"

namespace headway {
namespace {

TrainedRange trained_range(const NamedTable& named, std::size_t row) {
  const TrainedRange range{required_number(named, row, "trained_from"),
                           required_number(named, row, "trained_to")};
  if (range.from > 0 && range.from <= range.to) return range;
  throw Error(fmt::format("{}, row {}: trained_from {} and trained_to {} are no range of lengths",
                          subject_of(named), row + 1, number_text(range.from),
                          number_text(range.to)));
}

LengthPoint read_point(const NamedTable& named, std::size_t row) {
  LengthPoint point;
  point.accuracy = 100 * required_fraction(named, row, "accuracy");
  const double low = 100 * optional_number(named, row, "low");
  const double high = 100 * optional_number(named, row, "high");
  point.low = std::isfinite(low) ? low : point.accuracy;
  point.high = std::isfinite(high) ? high : point.accuracy;
  return point;
}

}  // namespace

LengthModel read_length_model(const NamedTable& named) {
  LengthModel model{named.name, trained_range(named, 0), {}};
  for (std::size_t row = 0; row < named.table.size(); ++row) {
    const double length = required_number(named, row, "length");
    if (length <= 0) {
      throw Error(fmt::format("{}, row {}: column 'length' must be above 0, not '{}'",
                              subject_of(named), row + 1,
                              printable(named.table.text(row, "length"))));
    }
    if (trained_range(named, row) != model.trained) {
      throw Error(fmt::format("{}, row {}: other lengths were trained than row 1 says",
                              subject_of(named), row + 1));
    }
    const std::string& negatives = named.table.text(row, "negatives");
    if (!model.curves[negatives].emplace(length, read_point(named, row)).second) {
      throw Error(fmt::format("{}, row {}: length {} with negatives '{}' is there twice",
                              subject_of(named), row + 1, number_text(length),
                              printable(negatives)));
    }
  }
  return model;
}

std::vector<std::string> negatives_of(const std::vector<NamedTable>& tables) {
  std::vector<std::string> all;
  for (const NamedTable& named : tables) {
    for (std::size_t row = 0; row < named.table.size(); ++row) {
      const std::string& negatives = named.table.text(row, "negatives");
      if (std::find(all.begin(), all.end(), negatives) == all.end()) all.push_back(negatives);
    }
  }
  return all;
}

std::set<double> lengths_of(const std::vector<LengthModel>& models) {
  std::set<double> lengths;
  for (const LengthModel& model : models) {
    for (const auto& [negatives, curve] : model.curves) {
      for (const auto& [length, point] : curve) lengths.insert(length);
    }
  }
  return lengths;
}

std::set<TrainedRange> trained_ranges(const std::vector<LengthModel>& models) {
  std::set<TrainedRange> ranges;
  for (const LengthModel& model : models) ranges.insert(model.trained);
  return ranges;
}

}  // namespace headway
