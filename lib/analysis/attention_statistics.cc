#include "lib/analysis/attention_statistics.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <numeric>

#include "lib/nn/positions.h"

namespace headway {
namespace {

using Roles = std::vector<std::int32_t>;

// The roles of a sample's positions in one attention, and how many keys a query sees.
struct Queries {
  Roles queries;  // [T], without padding
  Roles keys;     // [S]
  bool causal = false;
  // Where they are, if attention depends on it; empty: it does not.
  std::vector<std::int32_t> query_positions;  // [T]
  std::vector<std::int32_t> key_positions;    // [S]
};

Roles roles_in(const std::vector<std::int32_t>& roles, std::int64_t width, std::int64_t sample,
               std::int64_t size) {
  if (roles.empty()) return Roles(static_cast<std::size_t>(size), kNoRole);
  const auto first = roles.begin() + sample * width;
  return {first, first + size};
}

Roles joined(Roles roles, const Roles& more) {
  roles.insert(roles.end(), more.begin(), more.end());
  return roles;
}

// The roles of what a decoder reads, and of what it writes at each position.
Queries decoder_roles(const TransformerConfig& config, const Split& split, const Roles& input,
                      const Roles& target) {
  const Roles bos = {kNoRole};
  Roles stream;  // of which each position reads one token and writes the next
  if (config.kind == ModelKind::kEncoderDecoder) {
    stream = joined(bos, target);
  } else if (split.target_length > 0) {
    stream = joined(joined(input, bos), target);
  } else {
    stream = joined(bos, input);
  }
  return {{stream.begin() + 1, stream.end()}, {stream.begin(), stream.end() - 1}, true, {}, {}};
}

// The positions of a sample's tokens, given by the data or counted.
std::vector<std::int32_t> positions_in(const TransformerConfig& config,
                                       const std::vector<std::int32_t>& given, std::int64_t width,
                                       std::int64_t sample, std::int64_t size) {
  if (config.positions == PositionSource::kData) return roles_in(given, width, sample, size);
  std::vector<std::int32_t> counted(static_cast<std::size_t>(size));
  std::iota(counted.begin(), counted.end(), 0);
  return counted;
}

Queries queries_of(const TransformerConfig& config, const Split& split, std::int64_t sample,
                   Module module) {
  const Roles input =
      roles_in(split.input_roles, split.input_length, sample, split.input_size(sample));
  const std::vector<std::int32_t> inputs = positions_in(
      config, split.input_positions, split.input_length, sample, split.input_size(sample));
  if (module == Module::kEncoder) return {input, input, false, inputs, inputs};
  const std::int64_t targets = split.target_length > 0 ? split.target_size(sample) : 0;
  const Roles target = roles_in(split.target_roles, split.target_length, sample, targets);
  if (module == Module::kDecoderCross) {
    // Counted positions of two sequences have nothing to do with each other.
    if (config.positions != PositionSource::kData) return {target, input, false, {}, {}};
    return {target, input, false,
            positions_in(config, split.target_positions, split.target_length, sample, targets),
            inputs};
  }
  return decoder_roles(config, split, input, target);
}

// A relation's pairs by the role of the query, for quick look-ups.
struct KeyRole {
  std::int32_t key = kAnyRole;
  std::optional<RolePair::Condition> when;
};

class RelationIndex {
 public:
  explicit RelationIndex(const Legend& legend) {
    for (const Relation& relation : legend.relations) {
      std::vector<std::vector<KeyRole>> by_query(legend.roles.size() + 1);  // the last: any
      for (const RolePair& pair : relation.pairs)
        by_query[place(pair.query, legend.roles.size())].push_back({pair.key, pair.when});
      relations_.push_back(std::move(by_query));
    }
  }

  std::size_t size() const { return relations_.size(); }

  // The keys' roles that belong to a query of this role in this sample.
  std::vector<std::int32_t> keys_of(std::size_t relation, std::int32_t query, const Split& split,
                                    std::int64_t sample) const {
    std::vector<std::int32_t> keys;
    const auto& by_query = relations_[relation];
    const auto take = [&](const std::vector<KeyRole>& pairs) {
      for (const KeyRole& pair : pairs) {
        if (!pair.when || split.groups[static_cast<std::size_t>(pair.when->group)]
                                      [static_cast<std::size_t>(sample)] == pair.when->value)
          keys.push_back(pair.key);
      }
    };
    take(by_query.back());
    if (query != kNoRole) take(by_query[static_cast<std::size_t>(query)]);
    return keys;
  }

 private:
  static std::size_t place(std::int32_t role, std::size_t roles) {
    return role == kAnyRole ? roles : static_cast<std::size_t>(role);
  }

  std::vector<std::vector<std::vector<KeyRole>>> relations_;  // [relation][query][pair]
};

// The keys of each query in a relation: positions.
struct RelatedKeys {
  std::size_t relation = 0;
  std::size_t query = 0;
  std::vector<std::size_t> keys;
};

std::vector<RelatedKeys> related_keys(const RelationIndex& relations, const Queries& roles,
                                      const Split& split, std::int64_t sample) {
  std::vector<RelatedKeys> related;
  for (std::size_t relation = 0; relation < relations.size(); ++relation) {
    for (std::size_t query = 0; query < roles.queries.size(); ++query) {
      const auto wanted = relations.keys_of(relation, roles.queries[query], split, sample);
      if (wanted.empty()) continue;
      RelatedKeys found{relation, query, {}};
      const bool any = std::ranges::find(wanted, kAnyRole) != wanted.end();
      const std::size_t visible = roles.causal ? query + 1 : roles.keys.size();
      for (std::size_t key = 0; key < visible; ++key) {
        if (any || (roles.keys[key] != kNoRole &&
                    std::ranges::find(wanted, roles.keys[key]) != wanted.end()))
          found.keys.push_back(key);
      }
      if (!found.keys.empty()) related.push_back(std::move(found));
    }
  }
  return related;
}

// One head's weights for one sample.
struct HeadWeights {
  const float* data = nullptr;  // [T, S]
  std::int64_t keys = 0;        // S, with padding

  double at(std::size_t query, std::size_t key) const {
    return static_cast<double>(
        data[static_cast<std::int64_t>(query) * keys + static_cast<std::int64_t>(key)]);
  }
};

// The directions in which a head looks.
struct Sight {
  bool back = true;
  bool ahead = true;

  bool sees(const Queries& sample, std::size_t query, std::size_t key) const {
    if (sample.causal && key > query) return false;
    if (sample.key_positions.empty()) return true;
    const std::int32_t distance = sample.key_positions[key] - sample.query_positions[query];
    return distance == 0 || (distance < 0 ? back : ahead);
  }
};

// Of the heads of a site that are there.
std::vector<Sight> sights_of(const TransformerConfig& config, const Site& site) {
  const std::vector<int> heads = config.units_of(site.index);
  std::vector<Sight> sights(heads.size());
  if (config.encoding != Encoding::kAlibi || site.module == Module::kDecoderSelf) return sights;
  const std::vector<AlibiHead> all = alibi_heads(config.n_heads, config.alibi);
  for (std::size_t i = 0; i < heads.size(); ++i) {
    const AlibiHead& head = all[static_cast<std::size_t>(heads[i])];
    sights[i] = {head.back, head.ahead};
  }
  return sights;
}

void add_spread(const HeadWeights& weights, const Queries& sample, const Sight& sight,
                std::size_t query, HeadStatistics& out) {
  std::size_t visible = 0;
  double entropy = 0, squares = 0;
  for (std::size_t key = 0; key < sample.keys.size(); ++key) {
    if (!sight.sees(sample, query, key)) continue;
    ++visible;
    const double weight = weights.at(query, key);
    if (weight > 0) entropy -= weight * std::log(weight);
    squares += weight * weight;
  }
  if (visible < 2) return;  // no choice
  const auto n = static_cast<double>(visible);
  out.entropy.add(entropy / std::log(n));
  out.sparsity.add((n - 1 / squares) / (n - 1));
}

void add_sample(const HeadWeights& weights, const Queries& roles, const Sight& sight, bool is_self,
                const std::vector<RelatedKeys>& related, std::size_t role_count,
                HeadStatistics& out) {
  for (std::size_t query = 0; query < roles.queries.size(); ++query) {
    const std::size_t visible = roles.causal ? query + 1 : roles.keys.size();
    add_spread(weights, roles, sight, query, out);
    if (is_self) {
      out.diagonal.add(weights.at(query, query));
      if (query > 0) out.previous.add(weights.at(query, query - 1));
    }
    if (out.roles.empty() || roles.queries[query] == kNoRole) continue;
    const auto row = static_cast<std::size_t>(roles.queries[query]) * role_count;
    std::map<std::int32_t, double> by_role;  // the weight on all keys of a role
    for (std::size_t key = 0; key < visible; ++key) {
      if (roles.keys[key] != kNoRole) by_role[roles.keys[key]] += weights.at(query, key);
    }
    for (const auto& [role, weight] : by_role)
      out.roles[row + static_cast<std::size_t>(role)].add(weight);
  }
  for (const RelatedKeys& keys : related) {
    double sum = 0;
    for (const std::size_t key : keys.keys) sum += weights.at(keys.query, key);
    out.relations[keys.relation].add(sum);
  }
}

HeadStatistics no_statistics(const Legend& legend) {
  HeadStatistics none;
  none.relations.resize(legend.relations.size());
  if (legend.roles.size() <= kMostRoles)
    none.roles.resize(legend.roles.size() * legend.roles.size());
  return none;
}

std::vector<std::string> row_begin(const TransformerConfig& config, Unit head) {
  const Site site = config.sites()[head.site];
  return {config.name(head), config.label(head), name_of(site.module), std::to_string(site.layer),
          std::to_string(head.head)};
}

}  // namespace

double Mean::value() const {
  return count > 0 ? sum / count : std::numeric_limits<double>::quiet_NaN();
}

void HeadStatistics::add(const HeadStatistics& other) {
  diagonal.add(other.diagonal);
  previous.add(other.previous);
  entropy.add(other.entropy);
  sparsity.add(other.sparsity);
  for (std::size_t i = 0; i < relations.size(); ++i) relations[i].add(other.relations[i]);
  for (std::size_t i = 0; i < roles.size(); ++i) roles[i].add(other.roles[i]);
}

std::vector<HeadStatistics> attention_statistics(const Transformer& model, const Split& split,
                                                 ThreadTeam& team, const EachBatch& each) {
  using PerHead = std::vector<HeadStatistics>;
  const TransformerConfig& config = model.config();
  const Legend& legend = *split.legend;
  const RelationIndex relations(legend);
  const PerHead nothing(config.heads().size(), no_statistics(legend));
  const auto look_at = [&](std::span<const std::int64_t> samples) {
    PerHead found = nothing;
    std::size_t place = 0;  // sites are in the order of the heads
    const Hooks hooks({HookPoint::kWeights}, [&](const Site& site, HookPoint, at::Tensor& weights) {
      const at::Tensor whole = weights.contiguous();  // [B, H, T, S]
      const std::int64_t heads = whole.size(1), cells = whole.size(2) * whole.size(3);
      const std::vector<Sight> sights = sights_of(config, site);
      for (std::size_t b = 0; b < samples.size(); ++b) {
        const Queries roles = queries_of(config, split, samples[b], site.module);
        const auto related = related_keys(relations, roles, split, samples[b]);
        for (std::int64_t h = 0; h < heads; ++h) {
          const HeadWeights head{
              whole.data_ptr<float>() + (static_cast<std::int64_t>(b) * heads + h) * cells,
              whole.size(3)};
          add_sample(head, roles, sights[static_cast<std::size_t>(h)],
                     site.module != Module::kDecoderCross, related, legend.roles.size(),
                     found[place + static_cast<std::size_t>(h)]);
        }
      }
      place += static_cast<std::size_t>(heads);
    });
    DropoutStream none;
    const at::Tensor logits = model.forward(make_batch(config, split, samples), none, hooks);
    require_numbers(logits);
    return found;
  };
  PerHead statistics = nothing;
  add_batches<PerHead>(split, team, each, look_at, [&](const PerHead& part) {
    for (std::size_t i = 0; i < statistics.size(); ++i) statistics[i].add(part[i]);
  });
  return statistics;
}

Table statistics_table(const std::vector<HeadStatistics>& statistics,
                       const TransformerConfig& config, const Legend& legend,
                       const std::vector<double>& copying) {
  std::vector<std::string> columns = {"head",     "label",    "module",  "layer",   "index",
                                      "diagonal", "previous", "entropy", "sparsity"};
  for (const Relation& relation : legend.relations) columns.push_back(relation.name);
  if (!copying.empty()) columns.emplace_back("copying");
  Table table(columns);
  const std::vector<Unit> heads = config.heads();
  for (std::size_t i = 0; i < heads.size(); ++i) {
    const HeadStatistics& head = statistics[i];
    std::vector<std::string> row = row_begin(config, heads[i]);
    for (const Mean* mean : {&head.diagonal, &head.previous, &head.entropy, &head.sparsity})
      row.push_back(number_text(mean->value()));
    for (const Mean& mean : head.relations) row.push_back(number_text(mean.value()));
    if (!copying.empty()) row.push_back(number_text(copying[i]));
    table.add(std::move(row));
  }
  return table;
}

Table role_table(const std::vector<HeadStatistics>& statistics, const TransformerConfig& config,
                 const Legend& legend) {
  Table table({"head", "label", "module", "layer", "index", "query", "key", "weight", "count"});
  const std::vector<Unit> heads = config.heads();
  for (std::size_t i = 0; i < heads.size(); ++i) {
    const std::vector<Mean>& means = statistics[i].roles;
    for (std::size_t cell = 0; cell < means.size(); ++cell) {
      if (means[cell].count == 0) continue;
      std::vector<std::string> row = row_begin(config, heads[i]);
      row.push_back(legend.roles[cell / legend.roles.size()]);
      row.push_back(legend.roles[cell % legend.roles.size()]);
      row.push_back(number_text(means[cell].value()));
      row.push_back(number_text(means[cell].count));
      table.add(std::move(row));
    }
  }
  return table;
}

}  // namespace headway
