#include "lib/addition/findings/head_tables.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "lib/base/error.h"
#include "lib/numerics/statistics.h"
#include "lib/report/escape.h"
#include "lib/report/phrases.h"
#include "lib/report/reading.h"

namespace headway {
namespace {

constexpr double kUndefined = std::numeric_limits<double>::quiet_NaN();

void require_heads(const Table& table, std::initializer_list<std::string_view> columns,
                   const std::string& origin) {
  if (table.size() == 0) throw Error(fmt::format("{}: there is no head in it", origin));
  require_columns(table, columns, "a table of heads", origin);
}

int layer_at(const Table& table, std::size_t row, const std::string& origin) {
  constexpr std::size_t kMostLayers = 1'000'000;  // what no model has, and an int can hold
  return static_cast<int>(std::min(kMostLayers, whole_number(table, row, "layer", origin)));
}

std::string class_at(const Table& table, std::size_t row, const std::string& origin) {
  const std::string& head_class = table.text(row, "class");
  for (const char* known : {"critical", "important", "redundant"})
    if (head_class == known) return head_class;
  throw Error(fmt::format(
      "{}: row {}, column 'class': critical, important or redundant is expected, not '{}'", origin,
      row + 1, head_class));
}

HeadDrop head_drop_at(const Table& table, std::size_t row, const std::string& origin) {
  HeadDrop head{.label = table.text(row, "label"),
                .module = table.text(row, "module"),
                .layer = layer_at(table, row, origin),
                .head_class = class_at(table, row, origin),
                .drop = needed_number(table, row, "drop", origin),
                .low = needed_number(table, row, "low", origin),
                .high = needed_number(table, row, "high", origin),
                .left = share_number(table, row, "greedy", origin)};
  if (head.low > head.drop || head.high < head.drop) {
    throw Error(fmt::format("{}: row {}: the drop {} is not within its interval, {} to {}", origin,
                            row + 1, head.drop, head.low, head.high));
  }
  return head;
}

}  // namespace

double HeadAblation::whole() const {
  // Written with six digits each, so that the sum may pass 1 by a rounding.
  return std::clamp(heads.front().left + heads.front().drop / 100, 0.0, 1.0);
}

const HeadDrop* HeadAblation::find(const std::string& label) const {
  const auto found = std::find_if(heads.begin(), heads.end(),
                                  [&](const HeadDrop& head) { return head.label == label; });
  return found == heads.end() ? nullptr : &*found;
}

std::size_t HeadAblation::count(const std::string& head_class) const {
  return static_cast<std::size_t>(
      std::count_if(heads.begin(), heads.end(),
                    [&](const HeadDrop& head) { return head.head_class == head_class; }));
}

std::vector<HeadAblation> read_ablations(const Sources& sources, std::string_view name) {
  std::vector<HeadAblation> ablations;
  for (const SourceFile& file : sources.files(name)) {
    const Table table = parse_csv(file.bytes, file.origin);
    require_heads(table, {"label", "module", "layer", "class", "drop", "low", "high", "greedy"},
                  file.origin);
    HeadAblation ablation{file.item, {}};
    for (std::size_t row = 0; row < table.size(); ++row)
      ablation.heads.push_back(head_drop_at(table, row, file.origin));
    std::stable_sort(ablation.heads.begin(), ablation.heads.end(),
                     [](const HeadDrop& a, const HeadDrop& b) { return a.drop > b.drop; });
    ablations.push_back(std::move(ablation));
  }
  if (ablations.empty()) throw Error(fmt::format("input '{}': no ablation is connected", name));
  return ablations;
}

std::string way_text(const HeadAblation& ablation) {
  return ablation.way.empty() ? "ablation" : markdown_escaped(ablation.way) + " ablation";
}

double HeadLook::at(const std::string& statistic) const {
  const auto found = shares.find(statistic);
  return found == shares.end() ? kUndefined : found->second;
}

std::vector<HeadLook> read_looks(const Sources& sources, std::string_view name) {
  const Table table = sources.table(name);
  const std::string& origin = sources.file(name).origin;
  require_heads(table, {"label", "module", "layer"}, origin);
  std::vector<HeadLook> looks;
  for (std::size_t row = 0; row < table.size(); ++row) {
    HeadLook look{
        table.text(row, "label"), table.text(row, "module"), layer_at(table, row, origin), {}};
    for (const char* statistic : {"diagonal", "previous", "operator", "column", "carry",
                                  "carry_with", "carry_without", "entropy", "sparsity"}) {
      const double share =
          table.has(statistic) ? optional_number(table, row, statistic, origin) : kUndefined;
      if (std::isfinite(share)) look.shares[statistic] = share;
    }
    looks.push_back(std::move(look));
  }
  return looks;
}

double even_share(const std::string& statistic, const std::string& module, int digits) {
  const double one = 1.0 / (2 * digits + 1);  // a, + and b
  const bool is_pair = statistic == "carry" || (statistic == "column" && module != "encoder");
  return is_pair ? 2 * one : one;
}

int digits_of_data(const Sources& sources, std::string_view name) {
  const Json metrics = sources.metrics(name);
  const std::string& origin = sources.file(name).origin;
  if (!has_metric(metrics, "digits")) {
    throw Error(
        fmt::format("{}: metrics of a dataset of additions are expected, with 'digits'", origin));
  }
  const std::size_t digits = metric_whole_number(metrics, "digits", origin);
  if (digits < 1 || digits > 1000)
    throw Error(fmt::format("{}: no addition is of numbers of {} digits", origin, digits));
  return static_cast<int>(digits);
}

std::size_t additions_of(std::size_t digits) {
  if (digits < 1 || digits > 9) return 0;
  std::size_t additions = 81;
  for (std::size_t more = 1; more < digits; ++more) additions *= 100;
  return additions;
}

std::string module_text(const std::string& module) {
  if (module == "encoder") return "encoder self-attention";
  if (module == "decoder-self") return "decoder self-attention";
  if (module == "decoder-cross") return "cross-attention";
  return markdown_escaped(module);
}

std::string site_text(const std::string& module, int layer) {
  return fmt::format("layer {} of {}", layer, module_text(module));
}

std::string drop_in_parentheses(const HeadDrop& head) {
  return without_parentheses(points_with_interval(head.drop, head.low, head.high));
}

bool RankCorrelation::is_defined() const {
  return std::isfinite(value);
}

bool RankCorrelation::excludes_zero() const {
  return is_defined() && p < 0.05;
}

RankCorrelation correlate_ranks(const std::vector<double>& a, const std::vector<double>& b) {
  std::size_t pairs = 0;
  for (std::size_t i = 0; i < std::min(a.size(), b.size()); ++i)
    pairs += !std::isnan(a[i]) && !std::isnan(b[i]);
  return {rank_correlation(a, b), rank_correlation_p(a, b), pairs};
}

std::string correlation_text(const RankCorrelation& correlation) {
  const std::string over = fmt::format("over {}", counted(correlation.pairs, "head"));
  if (!correlation.is_defined()) return "undefined " + over;
  const std::string value = fmt::format("{:.2f}", correlation.value);
  return fmt::format("{} {} ({})", value == "-0.00" ? "0.00" : value, over, p_text(correlation.p));
}

Interval difference_between(const Interval& a, const Interval& b, std::size_t comparisons) {
  const double wider = deviations_for(comparisons) / kDeviations95;
  const double difference = a.value - b.value;
  return {difference, difference - wider * std::hypot(a.value - a.low, b.high - b.value),
          difference + wider * std::hypot(a.high - a.value, b.value - b.low)};
}

}  // namespace headway
