#include "lib/addition/analysis/attention_statistics.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <optional>

#include "lib/addition/addition.h"

namespace headway {
namespace {

using Field = Mean HeadStatistics::*;
constexpr std::array<std::pair<const char*, Field>, 10> kFields = {{
    {"diagonal", &HeadStatistics::diagonal},
    {"operator", &HeadStatistics::operator_},
    {"carry", &HeadStatistics::carry},
    {"column", &HeadStatistics::column},
    {"previous", &HeadStatistics::previous},
    {"entropy", &HeadStatistics::entropy},
    {"sparsity", &HeadStatistics::sparsity},
    {"carry_with", &HeadStatistics::carry_with},
    {"carry_without", &HeadStatistics::carry_without},
    {"leading", &HeadStatistics::leading},
}};

// Positions of a problem's digits: a, +, b, most significant first. Columns count from the right.
struct Places {
  std::int64_t digits = 0;
  CarryPattern carries;

  std::int64_t a(std::int64_t column) const { return digits - 1 - column; }
  std::int64_t b(std::int64_t column) const { return 2 * digits - column; }
  std::int64_t plus() const { return digits; }
  // The column of an input position; nullopt for the +.
  std::optional<std::int64_t> column_of(std::int64_t position) const {
    if (position == plus()) return std::nullopt;
    return position < plus() ? digits - 1 - position : 2 * digits - position;
  }
};

// One head's weights for one sample.
struct Weights {
  const float* data = nullptr;  // [T, S]
  std::int64_t queries = 0;
  std::int64_t keys = 0;

  double at(std::int64_t query, std::int64_t key) const {
    return static_cast<double>(data[query * keys + key]);
  }
};

void add_spread(const Weights& weights, std::int64_t query, std::int64_t visible,
                HeadStatistics& out) {
  if (visible < 2) return;  // no choice
  double entropy = 0, squares = 0;
  for (std::int64_t key = 0; key < visible; ++key) {
    const double weight = weights.at(query, key);
    if (weight > 0) entropy -= weight * std::log(weight);
    squares += weight * weight;
  }
  const auto n = static_cast<double>(visible);
  out.entropy.add(entropy / std::log(n));
  out.sparsity.add((n - 1 / squares) / (n - 1));
}

void add_carry(double weight, bool carried, HeadStatistics& out) {
  out.carry.add(weight);
  (carried ? out.carry_with : out.carry_without).add(weight);
}

// A digit's weight on its own column, and on the one to its right.
void add_encoder_columns(const Weights& weights, const Places& places, HeadStatistics& out) {
  for (std::int64_t query = 0; query <= 2 * places.digits; ++query) {
    out.operator_.add(weights.at(query, places.plus()));
    const auto column = places.column_of(query);
    if (!column) continue;
    const std::int64_t other = query < places.plus() ? places.b(*column) : places.a(*column);
    out.column.add(weights.at(query, other));
    if (*column == 0) continue;
    add_carry(weights.at(query, places.a(*column - 1)) + weights.at(query, places.b(*column - 1)),
              places.carries.into(static_cast<int>(*column)), out);
  }
}

// Query t predicts digit t of the sum, in column digits - t; the leading digit is left of all input
// columns.
void add_cross_columns(const Weights& weights, const Places& places, HeadStatistics& out) {
  const auto weight_on = [&](std::int64_t query, std::int64_t column) {
    return weights.at(query, places.a(column)) + weights.at(query, places.b(column));
  };
  for (std::int64_t query = 0; query < std::min(weights.queries, places.digits + 1); ++query) {
    out.operator_.add(weights.at(query, places.plus()));
    const std::int64_t column = places.digits - query;
    if (column == places.digits) {
      out.leading.add(weight_on(query, column - 1));
      continue;
    }
    out.column.add(weight_on(query, column));
    if (column == 0) continue;
    add_carry(weight_on(query, column - 1), places.carries.into(static_cast<int>(column)), out);
  }
}

struct Sample {
  std::int64_t input_length = 0;
  std::int64_t target_length = 0;
  std::optional<Places> places;  // if it is an addition
};

Sample sample_of(const Seq2SeqSplit& split, std::int64_t index) {
  const auto without_padding = [](std::span<const Token> row) {
    return std::find(row.begin(), row.end(), kPad) - row.begin();
  };
  Sample sample{without_padding(split.input(index)), without_padding(split.target(index)), {}};
  if (const auto parsed = parse_problem(split.input(index)))
    sample.places = Places{parsed->digits, carry_pattern(parsed->problem)};
  return sample;
}

void add_sample(AttentionModule module, const Weights& weights, const Sample& sample,
                HeadStatistics& out) {
  const bool self = module != AttentionModule::kDecoderCross;
  const bool causal = module == AttentionModule::kDecoderSelf;
  const std::int64_t queries =
      module == AttentionModule::kEncoder ? sample.input_length : sample.target_length;
  for (std::int64_t query = 0; query < queries; ++query) {
    add_spread(weights, query, causal ? query + 1 : sample.input_length, out);
    if (!self) continue;
    out.diagonal.add(weights.at(query, query));
    if (query > 0) out.previous.add(weights.at(query, query - 1));
  }
  if (!sample.places || causal) return;
  if (module == AttentionModule::kEncoder) {
    add_encoder_columns(weights, *sample.places, out);
  } else if (sample.target_length >= sample.places->digits + 1) {
    add_cross_columns(weights, *sample.places, out);
  }
}

// Adds weights [B, H, T, S] of samples from `first` on to the statistics of the H heads.
void add_batch(AttentionModule module, const at::Tensor& weights, const Seq2SeqSplit& split,
               std::int64_t first, std::span<HeadStatistics> heads) {
  const std::int64_t H = weights.size(1), T = weights.size(2), S = weights.size(3);
  for (std::int64_t b = 0; b < weights.size(0); ++b) {
    const Sample sample = sample_of(split, first + b);
    for (std::int64_t h = 0; h < H; ++h) {
      const Weights head{weights.data_ptr<float>() + (b * H + h) * T * S, T, S};
      add_sample(module, head, sample, heads[static_cast<std::size_t>(h)]);
    }
  }
}

}  // namespace

double Mean::value() const {
  return count > 0 ? sum / count : std::numeric_limits<double>::quiet_NaN();
}

void HeadStatistics::add(const HeadStatistics& other) {
  for (const auto& [name, field] : kFields) (this->*field).add(other.*field);
}

std::vector<HeadStatistics> attention_statistics(const Seq2Seq& model, const Seq2SeqSplit& split,
                                                 ThreadTeam& team, const EachBatch& each) {
  using PerHead = std::vector<HeadStatistics>;
  const std::size_t heads = model.config().heads().size();
  const auto parts =
      map_batches<PerHead>(split, team, each, [&](const Seq2SeqBatch& batch, std::int64_t first) {
        PerHead found(heads);
        std::size_t place = 0;  // sites are in the order of the heads
        HeadHooks hooks;
        hooks.on_weights = [&](const AttentionSite& site, const at::Tensor& weights) {
          add_batch(site.module, weights, split, first, std::span(found).subspan(place));
          place += static_cast<std::size_t>(weights.size(1));
        };
        DropoutStream none;
        model.forward(batch, none, hooks);
        return found;
      });
  PerHead statistics(heads);
  for (const PerHead& part : parts) {
    for (std::size_t i = 0; i < heads; ++i) statistics[i].add(part[i]);
  }
  return statistics;
}

Table to_table(const std::vector<HeadStatistics>& statistics, const Seq2SeqConfig& config) {
  std::vector<std::string> columns = {"head", "label", "module", "layer", "index"};
  for (const auto& field : kFields) columns.emplace_back(field.first);
  Table table(columns);
  const std::vector<HeadId> heads = config.heads();
  const std::vector<AttentionSite> sites = config.sites();
  for (std::size_t i = 0; i < heads.size(); ++i) {
    const AttentionSite& site = sites[heads[i].site];
    std::vector<std::string> row = {config.name(heads[i]), config.label(heads[i]),
                                    name_of(site.module), std::to_string(site.layer),
                                    std::to_string(heads[i].head)};
    for (const auto& field : kFields)
      row.push_back(number_text((statistics[i].*field.second).value()));
    table.add(std::move(row));
  }
  return table;
}

}  // namespace headway
