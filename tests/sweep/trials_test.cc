#include "lib/sweep/trials.h"
#include "lib/spec/overrides.h"

#include <algorithm>
#include <catch2/catch_test_macros.hpp>
#include <limits>
#include <map>
#include <set>

namespace headway {
namespace {

Axis list_axis(const std::string& path, const Json& values) {
  return {path, {}, *from_json(values, {}).list(), {}};
}

Axis range_axis(const std::string& path, bool logarithmic, double low, double high,
                bool whole = false) {
  return {path, {}, {}, AxisRange{logarithmic, low, high, whole}};
}

Assignment assign(const std::string& path, const Json& value, std::size_t place = 0) {
  return {path, from_json(value, {}), place};
}

std::vector<std::string> names_of(const std::vector<Trial>& trials) {
  std::vector<std::string> names;
  for (const Trial& trial : trials) names.push_back(trial.name);
  return names;
}

std::vector<Json> drawn(const std::vector<Trial>& trials, const std::string& path) {
  std::vector<Json> values;
  for (const Trial& trial : trials) {
    for (const Assignment& override : trial.overrides) {
      if (override.path == path) values.push_back(to_json(override.value));
    }
  }
  return values;
}

TEST_CASE("a trial is named by its overrides", "[trials]") {
  CHECK(folder_name({assign("model.n_heads", 4), assign("seed", 1)}) == "model.n_heads=4,seed=1");
  CHECK(folder_name({assign("lr", 0.0001), assign("warm", true), assign("decay", nullptr)}) ==
        "lr=0.0001,warm=true,decay=null");
  CHECK(folder_name({assign("lr", 1e-5)}) == "lr=1e-05");
  CHECK(folder_name({}) == "defaults");
}

TEST_CASE("a trial's name can be used as a folder name", "[trials]") {
  CHECK(folder_name({assign("text", "a/b c,d=e")}) == "text=a_b_c_d_e");
  CHECK(folder_name({assign("text", "größe")}) == "text=gr__e");
  CHECK(folder_name({assign("text", "\x80\xff\n")}) == "text=__");
  CHECK(folder_name({assign("text", "")}) == "text=_");
  CHECK(folder_name({assign("../x", 1)}) == "_._x=1");
  CHECK(folder_name({assign("-rf", 1)}) == "_rf=1");
}

TEST_CASE("lists and maps have short forms in names", "[trials]") {
  CHECK(folder_name({assign("sizes", {64, 128}, 2)}) == "sizes=64_128");
  CHECK(folder_name({assign("opt", {{"name", "adam"}, {"lr", 0.1}}, 1)}) == "opt=lr_0.1_name_adam");
  CHECK(folder_name({assign("sizes", Json::array(), 1)}) == "sizes=_");
  const Json longer(30, 7);
  CHECK(folder_name({assign("sizes", longer, 2)}) == "sizes=#2");
  CHECK(folder_name({assign("sizes", longer)}).size() == std::string("sizes=#").size() + 12);
  CHECK(folder_name({assign("sizes", longer)}) != folder_name({assign("sizes", Json(31, 7))}));
}

TEST_CASE("long names are truncated and stay different", "[trials]") {
  const std::string beginning(200, 'x');
  const std::string first = folder_name({assign("a", beginning + "1")});
  const std::string second = folder_name({assign("a", beginning + "2")});
  CHECK(first.size() == 150);
  CHECK(first.starts_with("a=xxx"));
  CHECK(first != second);
  CHECK(folder_name({assign("a", std::string(148, 'x'))}).find('~') == std::string::npos);
  CHECK(folder_name({assign("a", std::string(149, 'x'))}).find('~') != std::string::npos);
}

TEST_CASE("a grid has every combination, with the last axis varying fastest", "[trials]") {
  const std::vector<Axis> axes = {list_axis("model.n_heads", {2, 4}), list_axis("seed", {1, 2, 3})};
  CHECK(grid_size(axes) == 6);
  const std::vector<Trial> trials = grid_trials(axes);
  CHECK(names_of(trials) ==
        std::vector<std::string>{"model.n_heads=2,seed=1", "model.n_heads=2,seed=2",
                                 "model.n_heads=2,seed=3", "model.n_heads=4,seed=1",
                                 "model.n_heads=4,seed=2", "model.n_heads=4,seed=3"});
  CHECK(trials[4].overrides[0].path == "model.n_heads");
  CHECK(*trials[4].overrides[0].value.integer() == 4);
  CHECK(*trials[4].overrides[1].value.integer() == 2);
}

TEST_CASE("a grid without axes is one trial, and one with a free range has none", "[trials]") {
  CHECK(grid_size({}) == 1);
  CHECK(names_of(grid_trials({})) == std::vector<std::string>{"defaults"});
  const std::vector<Axis> axes = {list_axis("a", {1, 2}), range_axis("b", false, 0, 1)};
  CHECK(grid_size(axes) == 0);
  CHECK(grid_trials(axes).empty());
}

TEST_CASE("the size of a grid does not overflow", "[trials]") {
  const Axis thousand = list_axis("a", Json(1000, 1));
  CHECK(grid_size(std::vector<Axis>(6, thousand)) == 1'000'000'000'000'000'000);
  CHECK(grid_size(std::vector<Axis>(7, thousand)) == std::numeric_limits<std::size_t>::max());
  std::vector<Axis> with_none(7, thousand);
  with_none.push_back(list_axis("b", Json::array()));
  CHECK(grid_size(with_none) == 0);
}

TEST_CASE("names that would collide after cleaning get a digest", "[trials]") {
  const std::vector<std::string> names =
      names_of(grid_trials({list_axis("text", {"a b", "a/b", "ab", 1, "1"})}));
  CHECK(std::set<std::string>(names.begin(), names.end()).size() == 5);
  CHECK(names[0].starts_with("text=a_b~"));
  CHECK(names[1].starts_with("text=a_b~"));
  CHECK(names[2] == "text=ab");
  CHECK(names[3].starts_with("text=1~"));
}

TEST_CASE("positions of long values distinguish trials", "[trials]") {
  const Json first(30, 1), second(30, 2);
  CHECK(names_of(grid_trials({list_axis("sizes", Json::array({first, second}))})) ==
        std::vector<std::string>{"sizes=#1", "sizes=#2"});
}

TEST_CASE("more random trials include the earlier ones", "[trials]") {
  const std::vector<Axis> axes = {range_axis("lr", true, 1e-4, 1e-1),
                                  list_axis("heads", {1, 2, 4})};
  const std::vector<std::string> few = names_of(random_trials(axes, 5, 7));
  std::vector<std::string> many = names_of(random_trials(axes, 50, 7));
  REQUIRE(many.size() > few.size());
  many.resize(few.size());
  CHECK(few == many);
  CHECK(few != names_of(random_trials(axes, 5, 8)));
}

TEST_CASE("an additional axis does not change the draws of the others", "[trials]") {
  const Axis rate = range_axis("lr", true, 1e-4, 1e-1), width = range_axis("width", false, 0, 1);
  const std::vector<Json> alone = drawn(random_trials({rate}, 20, 7), "lr");
  CHECK(alone == drawn(random_trials({width, rate, list_axis("seed", {5})}, 20, 7), "lr"));
  CHECK(alone != drawn(random_trials({range_axis("other", true, 1e-4, 1e-1)}, 20, 7), "other"));
}

// Draws are part of a sweep file's meaning: they must be the same in every release.
TEST_CASE("random draws are stable", "[trials]") {
  const std::vector<Axis> axes = {range_axis("lr", true, 1e-4, 1e-1),
                                  range_axis("layers", false, 1, 6, true),
                                  list_axis("norm", {"pre", "post"})};
  CHECK(names_of(random_trials(axes, 3, 1)) ==
        std::vector<std::string>{"lr=0.0009374,layers=3,norm=post", "lr=0.000109,layers=6,norm=pre",
                                 "lr=0.003252,layers=1,norm=pre"});
}

TEST_CASE("a log range is drawn uniformly in its logarithm, with four digits", "[trials]") {
  const std::vector<Json> rates =
      drawn(random_trials({range_axis("lr", true, 1e-4, 1e-1)}, 3000, 1), "lr");
  std::map<int, int> decades;
  for (const Json& rate : rates) {
    const double value = rate.get<double>();
    REQUIRE(value >= 1e-4);
    REQUIRE(value <= 1e-1);
    REQUIRE(value == rounded_to_digits(value));
    ++decades[value < 1e-3 ? 0 : value < 1e-2 ? 1 : 2];
  }
  for (const auto& [decade, count] : decades) {
    CAPTURE(decade);
    CHECK(count > 850);  // of some 1,000, less those that were drawn before
  }
  CHECK(decades.size() == 3);
}

TEST_CASE("integers are drawn uniformly, including both ends", "[trials]") {
  std::map<std::int64_t, int> counts;
  for (std::uint64_t seed = 0; seed < 3000; ++seed) {
    const auto trials = random_trials({range_axis("layers", false, 1, 3, true)}, 1, seed);
    ++counts[*trials.at(0).overrides.at(0).value.integer()];
  }
  CHECK(counts.size() == 3);
  for (const std::int64_t layers : {1, 2, 3}) CHECK(counts[layers] > 900);
  std::map<std::int64_t, int> sizes;
  for (std::uint64_t seed = 0; seed < 1000; ++seed) {
    ++sizes[*random_trials({range_axis("n", true, 1, 3, true)}, 1, seed)[0]
                 .overrides[0]
                 .value.integer()];
  }
  CHECK(sizes.size() == 3);
  CHECK(sizes[1] > sizes[2]);
  CHECK(sizes[2] > sizes[3]);
}

TEST_CASE("draws from a narrow range have enough digits to differ", "[trials]") {
  const auto trials = random_trials({range_axis("x", false, 1000, 1001)}, 20, 1);
  CHECK(trials.size() == 20);
}

TEST_CASE("trials drawn before are dropped", "[trials]") {
  const auto trials = random_trials({list_axis("a", {1, 2}), list_axis("b", {1, 2})}, 100, 3);
  CHECK(trials.size() == 4);
  const auto names = names_of(trials);
  CHECK(std::set<std::string>(names.begin(), names.end()).size() == 4);
}

TEST_CASE("each random configuration is tried with each seed", "[trials]") {
  const std::vector<Axis> axes = {list_axis("seed", {1, 2, 3}), range_axis("lr", true, 1e-4, 1e-1)};
  const std::vector<Trial> trials = random_trials(axes, 4, 7);
  REQUIRE(trials.size() == 12);
  const std::vector<Json> rates = drawn(trials, "lr"), seeds = drawn(trials, "seed");
  for (std::size_t i = 0; i < 12; ++i) {
    CHECK(trials[i].overrides[0].path == "seed");  // in the order of the axes
    CHECK(seeds[i] == i % 3 + 1);
    CHECK(rates[i] == rates[i / 3 * 3]);
  }
}

TEST_CASE("a seed without values is drawn like any other", "[trials]") {
  CHECK(random_trials({range_axis("seed", false, 1, 1e6, true)}, 5, 7).size() == 5);
}

TEST_CASE("only a parameter named seed repeats an experiment", "[trials]") {
  CHECK(is_replicate("seed"));
  CHECK(is_replicate("train.seed"));
  CHECK_FALSE(is_replicate("train.seeds"));
  CHECK_FALSE(is_replicate("train.data_seed"));
  CHECK_FALSE(is_replicate("seed.lr"));
}

}  // namespace
}  // namespace headway
