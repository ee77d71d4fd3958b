#include "lib/report/findings/head_tables.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "lib/base/error.h"
#include "lib/report/escape.h"
#include "lib/report/phrases.h"

namespace headway {
namespace {

constexpr double kUndefined = std::numeric_limits<double>::quiet_NaN();

void require_heads(const Table& table, const SourceFile& file,
                   const std::vector<std::string>& columns) {
  if (table.size() == 0) throw Error(fmt::format("{}: there is no head in it", file.origin));
  for (const std::string& column : columns) {
    if (table.has(column)) continue;
    throw Error(fmt::format("{}: a table of heads is expected, but there is no column '{}'",
                            file.origin, column));
  }
}

HeadDrop head_drop_at(const Table& table, std::size_t row) {
  return {.label = table.text(row, "label"),
          .module = table.text(row, "module"),
          .layer = static_cast<int>(table.number(row, "layer")),
          .head_class = table.text(row, "class"),
          .drop = table.number(row, "drop"),
          .low = table.number(row, "low"),
          .high = table.number(row, "high"),
          .left = table.number(row, "greedy")};
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
  const std::vector<SourceFile>& files = sources.files(name);
  const std::vector<SourceTable> tables = sources.tables(name);
  for (std::size_t i = 0; i < tables.size(); ++i) {
    const Table& table = tables[i].table;
    require_heads(table, files[i],
                  {"label", "module", "layer", "class", "drop", "low", "high", "greedy"});
    HeadAblation ablation{tables[i].item, {}};
    for (std::size_t row = 0; row < table.size(); ++row)
      ablation.heads.push_back(head_drop_at(table, row));
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
  require_heads(table, sources.file(name), {"label", "module", "layer"});
  std::vector<HeadLook> looks;
  for (std::size_t row = 0; row < table.size(); ++row) {
    HeadLook look{table.text(row, "label"),
                  table.text(row, "module"),
                  static_cast<int>(table.number(row, "layer")),
                  {}};
    for (const char* statistic : {"diagonal", "previous", "operator", "column", "carry",
                                  "carry_with", "carry_without", "entropy", "sparsity"}) {
      const double share = table.has(statistic) ? table.number(row, statistic) : kUndefined;
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
  const auto digits = metrics.find("digits");
  if (digits == metrics.end() || !digits->is_number_integer() || digits->get<int>() < 1) {
    throw Error(fmt::format("{}: metrics of a dataset of additions are expected, with 'digits'",
                            sources.file(name).origin));
  }
  return digits->get<int>();
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
  std::string text = points_with_interval(head.drop, head.low, head.high);
  const std::size_t open = text.find(" (");
  if (open == std::string::npos) return text;
  text.pop_back();
  return text.replace(open, 2, ", ");
}

bool RankCorrelation::is_defined() const {
  return std::isfinite(value);
}

bool RankCorrelation::excludes_zero() const {
  return is_defined() && (low > 0 || high < 0);
}

RankCorrelation correlate_ranks(const std::vector<double>& a, const std::vector<double>& b) {
  RankCorrelation result{rank_correlation(a, b), kUndefined, kUndefined, a.size()};
  if (!result.is_defined() || a.size() < 5) return result;
  if (std::fabs(result.value) > 1 - 1e-12) {  // where the transformation ends
    result.low = result.high = result.value;
    return result;
  }
  const double centre = std::atanh(result.value);
  const double half = 1.96 * std::sqrt(1.06 / (static_cast<double>(a.size()) - 3));
  result.low = std::tanh(centre - half);
  result.high = std::tanh(centre + half);
  return result;
}

std::string correlation_text(const RankCorrelation& correlation) {
  const std::string over = fmt::format("over {}", counted(correlation.pairs, "head"));
  if (!correlation.is_defined()) return "undefined " + over;
  const auto rounded = [](double value) {
    const std::string text = fmt::format("{:.2f}", value);
    return text == "-0.00" ? "0.00" : text;
  };
  const std::string value = fmt::format("{} {}", rounded(correlation.value), over);
  if (!std::isfinite(correlation.low) || correlation.low == correlation.high) return value;
  return fmt::format("{} (95 % interval {} to {})", value, rounded(correlation.low),
                     rounded(correlation.high));
}

std::string beyond_intervals(double a_low, double a_high, double b_low, double b_high) {
  return a_low > b_high ? "larger" : a_high < b_low ? "smaller" : "";
}

}  // namespace headway
