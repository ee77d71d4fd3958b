#include "lib/extrapolation/findings/position_measures.h"

#include <algorithm>

#include "lib/base/error.h"
#include "lib/extrapolation/findings/length_results.h"
#include "lib/report/reading.h"

namespace headway {
namespace {

// Position vectors are of single precision, and errors are root mean squares of many.
constexpr double kNumericalPrecision = 1e-5;

void take_largest(InsideBeyond& largest, const InsideBeyond& measured) {
  largest.inside = std::fmax(largest.inside, measured.inside);  // of NaN and a number, the number
  largest.beyond = std::fmax(largest.beyond, measured.beyond);
}

PositionMeasures read_measures(const SourceFile& file) {
  PositionMeasures measures;
  measures.name = model_label(file.item);
  const Table table = parse_csv(file.bytes, file.origin);
  require_columns(table, {"measure", "shift", "inside", "beyond"}, "a table of analyze-positions",
                  file.origin);
  for (std::size_t row = 0; row < table.size(); ++row) {
    const InsideBeyond measured{optional_number(table, row, "inside", file.origin),
                                optional_number(table, row, "beyond", file.origin)};
    const std::string& measure = table.text(row, "measure");
    if (measure == "distance error") measures.distance = measured;
    if (measure == "length") measures.length = measured;
    if (measure == "step") measures.step = measured;
    if (measure == "any rotation") take_largest(measures.any, measured);
    if (measure == "rotation of pairs") {
      take_largest(measures.pairs, measured);
      measures.shifts.push_back(table.text(row, "shift"));
    }
  }
  return measures;
}

std::size_t trained_in(const TensorFile& file) {
  const auto found = file.metadata.find("trained");
  const bool is_number = found != file.metadata.end() && !found->second.empty() &&
                         found->second.size() < 10 &&
                         std::all_of(found->second.begin(), found->second.end(),
                                     [](char c) { return c >= '0' && c <= '9'; });
  return is_number ? static_cast<std::size_t>(std::stoul(found->second)) : 0;
}

void read_arrays(const TensorFile& file, PositionMeasures& measures) {
  const Array& gram = file.at("gram");
  const std::vector<float> values = gram.floats();
  measures.positions = gram.shape.empty() ? 0 : static_cast<std::size_t>(gram.shape.front());
  measures.trained = trained_in(file);
  const auto encoding = file.metadata.find("encoding");
  if (encoding != file.metadata.end()) measures.encoding = encoding->second;
  measures.is_constant = std::all_of(values.begin(), values.end(), [&](float value) {
    return std::fabs(value - values.front()) <= 1e-6F * std::fabs(values.front());
  });
}

}  // namespace

bool PositionMeasures::stands_still_beyond() const {
  return std::isfinite(step.beyond) && step.beyond <= kNumericalPrecision * length.beyond;
}

bool PositionMeasures::is_regular_beyond() const {
  return holding_of(distance.beyond) == Holding::kExactly && !is_constant &&
         !stands_still_beyond() &&
         (!has_vectors() || holding_of(pairs.beyond) == Holding::kExactly);
}

std::vector<PositionMeasures> read_position_measures(const Sources& sources) {
  std::vector<PositionMeasures> all;
  for (const SourceFile& file : sources.files("tables")) all.push_back(read_measures(file));
  if (!sources.has("arrays")) return all;
  for (const SourceFile& file : sources.files("arrays")) {
    const TensorFile arrays = parse_safetensors(file.bytes, file.origin);
    for (PositionMeasures& measures : all) {
      if (measures.name != model_label(file.item)) continue;
      try {
        read_arrays(arrays, measures);
      } catch (const Error& error) {
        throw error.within(file.origin);
      }
    }
  }
  return all;
}

Holding holding_of(double relative_error) {
  if (!std::isfinite(relative_error)) return Holding::kUnknown;
  if (relative_error <= kNumericalPrecision) return Holding::kExactly;
  return relative_error <= kAboutLimit ? Holding::kAbout : Holding::kNot;
}

}  // namespace headway
