// Statistics of random attention on data with random roles and relations, against their definition,
// sample by sample.
#include "lib/analysis/attention_statistics.h"

#include <catch2/catch_test_macros.hpp>
#include <cmath>

#include "lib/nn/positions.h"
#include "tests/nn/tiny_models.h"
#include "tests/train/half_trained.h"

namespace headway::testing {
namespace {

using Roles = std::vector<std::int32_t>;

// Three roles, two groups of samples, and relations with and without conditions.
std::shared_ptr<const Legend> with_relations(const Legend& plain) {
  auto legend = std::make_shared<Legend>(plain);
  legend->roles = {"x", "y", "z"};
  legend->groups = {{"colour", {"red", "green", "blue"}}, {"size", {"small", "large"}}};
  using When = RolePair::Condition;
  legend->relations = {{"any to x", {{kAnyRole, 0}}},
                       {"empty", {}},
                       {"everything", {{kAnyRole, kAnyRole}}},
                       {"if green", {{0, 1, When{0, 1}}, {2, kAnyRole, When{0, 1}}}},
                       {"mixed", {{0, 1}, {0, 2}, {kAnyRole, 1, When{1, 1}}, {1, 1}}},
                       {"y to any", {{1, kAnyRole}}},
                       {"z to z", {{2, 2}}}};
  return legend;
}

Split with_roles(Split split, std::uint64_t seed = 1) {
  RandomStream random(seed);
  split.legend = with_relations(*split.legend);
  const auto drawn = [&](const std::vector<Token>& tokens) {
    Roles roles;
    for (const Token token : tokens)
      roles.push_back(token == split.vocabulary().pad()
                          ? kNoRole
                          : static_cast<std::int32_t>(random.below(4)) - 1);
    return roles;
  };
  split.input_roles = drawn(split.inputs);
  split.target_roles = drawn(split.targets);
  split.groups.assign(2, {});
  for (std::int64_t sample = 0; sample < split.size(); ++sample) {
    split.groups[0].push_back(static_cast<std::int32_t>(random.below(3)));
    split.groups[1].push_back(static_cast<std::int32_t>(random.below(2)));
  }
  return split;
}

Roles first_roles(const Roles& roles, std::int64_t width, std::int64_t sample, std::int64_t size) {
  Roles row(static_cast<std::size_t>(size), kNoRole);
  for (std::int64_t at = 0; at < size && !roles.empty(); ++at)
    row[static_cast<std::size_t>(at)] = roles[static_cast<std::size_t>(sample * width + at)];
  return row;
}

Roles operator+(Roles a, const Roles& b) {
  a.insert(a.end(), b.begin(), b.end());
  return a;
}
Roles without_first(Roles roles) {
  roles.erase(roles.begin());
  return roles;
}
Roles without_last(Roles roles) {
  roles.pop_back();
  return roles;
}

struct Sides {
  Roles queries, keys;
};
Sides sides_of(const TransformerConfig& config, const Split& split, std::int64_t sample,
               Module module) {
  const Roles input =
      first_roles(split.input_roles, split.input_length, sample, split.input_size(sample));
  const Roles bos = {kNoRole};
  if (module == Module::kEncoder) return {input, input};
  // Without targets, a decoder reads bos and the input, and writes the input.
  if (split.target_length == 0) return {input, bos + without_last(input)};
  const Roles target =
      first_roles(split.target_roles, split.target_length, sample, split.target_size(sample));
  if (module == Module::kDecoderCross) return {target, input};
  if (config.has_encoder()) return {target, bos + without_last(target)};
  // After the first input token comes the second, …, after the last one bos, after bos the target.
  return {without_first(input) + bos + target, input + bos + without_last(target)};
}

// Whether a relation has such a pair in this sample.
bool relates(const Relation& relation, std::int32_t query, std::int32_t key, const Split& split,
             std::int64_t sample) {
  for (const RolePair& pair : relation.pairs) {
    const bool is_query = pair.query == kAnyRole || pair.query == query;
    const bool is_key = pair.key == kAnyRole || pair.key == key;
    const bool holds =
        !pair.when || split.groups[static_cast<std::size_t>(pair.when->group)]
                                  [static_cast<std::size_t>(sample)] == pair.when->value;
    if (is_query && is_key && holds) return true;
  }
  return false;
}

void add_query(const std::vector<double>& weights, const Sides& sides, std::size_t query,
               bool is_self, const Split& split, std::int64_t sample, HeadStatistics& out) {
  const auto seen = static_cast<double>(weights.size());
  if (weights.size() > 1) {
    double entropy = 0, squares = 0;
    for (const double weight : weights) {
      entropy -= weight > 0 ? weight * std::log(weight) : 0;
      squares += weight * weight;
    }
    out.entropy.add(entropy / std::log(seen));
    out.sparsity.add((seen - 1 / squares) / (seen - 1));
  }
  if (is_self) out.diagonal.add(weights.at(query));
  if (is_self && query > 0) out.previous.add(weights.at(query - 1));
  const Legend& legend = *split.legend;
  for (std::size_t i = 0; i < legend.relations.size(); ++i) {
    double sum = 0;
    int related = 0;
    for (std::size_t key = 0; key < weights.size(); ++key) {
      if (!relates(legend.relations[i], sides.queries[query], sides.keys[key], split, sample))
        continue;
      sum += weights[key];
      ++related;
    }
    if (related > 0) out.relations[i].add(sum);
  }
  for (std::size_t role = 0; role < legend.roles.size(); ++role) {
    double sum = 0;
    bool is_there = false;
    for (std::size_t key = 0; key < weights.size(); ++key) {
      if (sides.keys[key] != static_cast<std::int32_t>(role)) continue;
      sum += weights[key];
      is_there = true;
    }
    if (!is_there || sides.queries[query] == kNoRole) continue;
    const auto row = static_cast<std::size_t>(sides.queries[query]) * legend.roles.size();
    out.roles[row + role].add(sum);
  }
}

std::vector<HeadStatistics> slow_statistics(const Checkpoint& checkpoint, const Split& split) {
  const TransformerConfig& config = checkpoint.config;
  const Transformer model = checkpoint.model(positions_needed(config, split));
  HeadStatistics none;
  none.relations.resize(split.legend->relations.size());
  none.roles.resize(split.legend->roles.size() * split.legend->roles.size());
  std::vector<HeadStatistics> all(config.heads().size(), none);
  const c10::AutoGradMode without_gradients(false);
  for (std::int64_t sample = 0; sample < split.size(); ++sample) {
    auto head = all.begin();
    const Hooks hooks({HookPoint::kWeights}, [&](const Site& site, HookPoint, at::Tensor& weights) {
      const Sides sides = sides_of(config, split, sample, site.module);
      const bool causal = site.module == Module::kDecoderSelf;
      for (std::int64_t h = 0; h < weights.size(1); ++h, ++head) {
        for (std::size_t query = 0; query < sides.queries.size(); ++query) {
          std::vector<double> row;
          const std::size_t seen = causal ? query + 1 : sides.keys.size();
          for (std::size_t key = 0; key < seen; ++key)
            row.push_back(
                weights[0][h][static_cast<std::int64_t>(query)][static_cast<std::int64_t>(key)]
                    .item<double>());
          add_query(row, sides, query, site.module != Module::kDecoderCross, split, sample, *head);
        }
      }
    });
    DropoutStream none_dropped;
    model.forward(make_batch(config, split, sample, 1), none_dropped, hooks);
    REQUIRE(head == all.end());
  }
  return all;
}

void check_mean(const Mean& found, const Mean& expected) {
  CHECK(found.count == expected.count);
  CHECK(std::abs(found.sum - expected.sum) < 1e-5 * (1 + expected.count));
}

void check_statistics(const Checkpoint& checkpoint, const Split& split) {
  ThreadTeam team(2);
  const auto found = attention_statistics(
      checkpoint.model(positions_needed(checkpoint.config, split)), split, team);
  const auto expected = slow_statistics(checkpoint, split);
  REQUIRE(found.size() == checkpoint.config.heads().size());
  for (std::size_t head = 0; head < found.size(); ++head) {
    CAPTURE(checkpoint.config.name(checkpoint.config.heads()[head]));
    check_mean(found[head].diagonal, expected[head].diagonal);
    check_mean(found[head].previous, expected[head].previous);
    check_mean(found[head].entropy, expected[head].entropy);
    check_mean(found[head].sparsity, expected[head].sparsity);
    REQUIRE(found[head].relations.size() == expected[head].relations.size());
    for (std::size_t i = 0; i < expected[head].relations.size(); ++i) {
      CAPTURE(split.legend->relations[i].name);
      check_mean(found[head].relations[i], expected[head].relations[i]);
    }
    REQUIRE(found[head].roles.size() == expected[head].roles.size());
    for (std::size_t i = 0; i < expected[head].roles.size(); ++i) {
      CAPTURE(i);
      check_mean(found[head].roles[i], expected[head].roles[i]);
    }
    CHECK(expected[head].relations[2].count > 0);
  }
}

TEST_CASE(
    "statistics by position, relation and role of every kind of model match their definition") {
  for (const ModelKind kind : kEveryKind) {
    CAPTURE(name_of(kind));
    const Split split = with_roles(uneven_data(kind, 30));
    TransformerConfig config = config_for(kind, split);
    config.n_layers = 2;
    check_statistics(random_checkpoint(config), split);
  }
}

TEST_CASE("statistics of next tokens and of pruned models match their definition") {
  const Split text = with_roles(repetitions(30, Asked::kSuffix));
  check_statistics(random_checkpoint(config_for(ModelKind::kDecoder, text)), text);
  const Checkpoint pruned =
      without_units(random_checkpoint(tiny_config(ModelKind::kEncoderDecoder, 2)),
                    {{0, 0}, {1, kWholeFeed}, {2, 0}, {2, 1}, {5, 1}});
  check_statistics(pruned, with_roles(uneven_additions(30)));
}

TEST_CASE("data without roles has statistics by position, and relations of any role alone") {
  Split split = with_roles(uneven_additions(20));
  split.input_roles.clear();
  split.target_roles.clear();
  for (const ModelKind kind : {ModelKind::kEncoderDecoder, ModelKind::kDecoder})
    check_statistics(random_checkpoint(tiny_config(kind)), split);
}

TEST_CASE("statistics cover all batches and do not depend on the team's size") {
  for (const ModelKind kind : kEveryKind) {
    const Split split = with_roles(uneven_data(kind, 400));
    const Checkpoint& checkpoint = half_trained_on_uneven(kind);
    const Transformer model = checkpoint.model(positions_needed(checkpoint.config, split));
    const auto found = [&](std::size_t size) {
      ThreadTeam team(size);
      return attention_statistics(model, split, team);
    };
    const auto alone = found(1), together = found(3);
    for (std::size_t head = 0; head < alone.size(); ++head) {
      CHECK(alone[head].entropy.sum == together[head].entropy.sum);
      CHECK(alone[head].entropy.count == together[head].entropy.count);
      for (std::size_t i = 0; i < alone[head].relations.size(); ++i)
        CHECK(alone[head].relations[i].sum == together[head].relations[i].sum);
      for (std::size_t i = 0; i < alone[head].roles.size(); ++i)
        CHECK(alone[head].roles[i].sum == together[head].roles[i].sum);
    }
    std::int64_t queries = 0;
    for (std::int64_t sample = 0; sample < split.size(); ++sample)
      queries += split.input_size(sample);
    if (kind != ModelKind::kDecoder) CHECK(alone[0].diagonal.count == queries);
  }
}

TEST_CASE("keys that a head cannot see do not count: half of directional alibi's heads look back") {
  const TransformerConfig config = config_for(ModelKind::kEncoder, random_sequences(4, 6, 6));
  TransformerConfig alibi = config;
  alibi.encoding = Encoding::kAlibi;
  const Split split = random_sequences(4, 6, 6);
  const Checkpoint checkpoint = random_checkpoint(alibi);
  // Queries and keys of zero: weights depend on the distance alone.
  for (auto& [name, tensor] : checkpoint.parameters.views(false)) {
    if (name.find("qkv") != std::string::npos) tensor.zero_();
  }
  ThreadTeam team(1);
  const auto statistics = attention_statistics(checkpoint.model(6), split, team);
  const std::vector<AlibiHead> heads = alibi_heads(alibi.n_heads, alibi.alibi);
  for (std::size_t head = 0; head < heads.size(); ++head) {
    double entropy = 0;
    for (int query = 0; query < 6; ++query) {
      const int visible = heads[head].back ? query + 1 : 6 - query;
      if (visible < 2) continue;
      double sum = 0, mean = 0;
      for (int distance = 0; distance < visible; ++distance)
        sum += std::exp(-heads[head].slope * distance);
      for (int distance = 0; distance < visible; ++distance) {
        const double weight = std::exp(-heads[head].slope * distance) / sum;
        mean -= weight * std::log(weight);
      }
      entropy += mean / std::log(visible) / 5;  // of the five queries with a choice
    }
    CHECK(statistics[head].entropy.count == 5 * 4);
    CHECK(std::abs(statistics[head].entropy.value() - entropy) < 1e-5);
    CHECK(std::isfinite(statistics[head].sparsity.value()));
  }
}

TEST_CASE("roles that are too many have no table, but relations all the same") {
  Split split = with_roles(uneven_additions(20));
  ThreadTeam team(1);
  const Checkpoint checkpoint = random_checkpoint(tiny_config());
  const auto with = [&](std::size_t roles) {
    auto legend = std::make_shared<Legend>(*split.legend);
    while (legend->roles.size() < roles)
      legend->roles.push_back("r" + std::to_string(legend->roles.size()));
    Split more = split;
    more.legend = legend;
    return attention_statistics(checkpoint.model(8), more, team).at(0);
  };
  CHECK(with(kMostRoles).roles.size() == kMostRoles * kMostRoles);
  const HeadStatistics head = with(kMostRoles + 1);
  CHECK(head.roles.empty());
  CHECK(head.relations[0].sum == with(3).relations[0].sum);
  Legend legend = *split.legend;
  legend.roles.resize(kMostRoles + 1);
  CHECK(role_table(std::vector(6, head), checkpoint.config, legend).size() == 0);
}

// Two heads that are left of a pruned model, with relations near and far.
struct Tables {
  TransformerConfig config = tiny_config().without({{0, 0}, {2, 0}, {2, 1}, {3, 1}});
  Legend legend;
  std::vector<HeadStatistics> statistics{2};

  Tables() {
    legend.roles = {"x", "y"};
    legend.relations = {{"far", {}}, {"near", {}}};
    for (HeadStatistics& head : statistics) {
      head.relations.resize(2);
      head.roles.resize(4);
    }
    statistics[0].diagonal.add(0.25);
    statistics[0].diagonal.add(0.75);
    statistics[0].previous.add(0.125);
    statistics[0].entropy.add(1);
    statistics[0].sparsity.add(0);
    statistics[0].relations[1].add(0.5);
    statistics[0].roles[1].add(0.5);
    statistics[0].roles[1].add(0.25);
    statistics[1].relations[0].add(0.75);
    statistics[1].roles[2].add(0);
  }
};

TEST_CASE("a table of statistics has a row for each head and a column for each relation") {
  const Tables tables;
  CHECK(statistics_table(tables.statistics, tables.config, tables.legend, {}).to_csv() ==
        "head,label,module,layer,index,diagonal,previous,entropy,sparsity,far,near\n"
        "encoder.0.self.1,Encoder L0 H1,encoder,0,1,0.5,0.125,1,0,,0.5\n"
        "decoder.0.cross.0,Decoder Cross L0 H0,decoder-cross,0,0,,,,,0.75,\n");
  CHECK(statistics_table(tables.statistics, tables.config, tables.legend, {0.5, std::nan("")})
            .to_csv() ==
        "head,label,module,layer,index,diagonal,previous,entropy,sparsity,far,near,copying\n"
        "encoder.0.self.1,Encoder L0 H1,encoder,0,1,0.5,0.125,1,0,,0.5,0.5\n"
        "decoder.0.cross.0,Decoder Cross L0 H0,decoder-cross,0,0,,,,,0.75,,\n");
}

TEST_CASE("a table of roles has a row for each two that occur together, even without weight") {
  const Tables tables;
  CHECK(role_table(tables.statistics, tables.config, tables.legend).to_csv() ==
        "head,label,module,layer,index,query,key,weight,count\n"
        "encoder.0.self.1,Encoder L0 H1,encoder,0,1,x,y,0.375,2\n"
        "decoder.0.cross.0,Decoder Cross L0 H0,decoder-cross,0,0,y,x,0,1\n");
}

}  // namespace
}  // namespace headway::testing
