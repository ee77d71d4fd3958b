#include "lib/addition/addition_source.h"

#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers_exception.hpp>

#include "lib/addition/addition.h"
#include "lib/addition/addition_legend.h"
#include "lib/base/error.h"

namespace headway {
namespace {

using Catch::Matchers::Message;

Dataset small_data(int digits) {
  return generate_addition({.digits = digits, .train = 20, .val = 5, .test = 5});
}

SampleSource source_for(int digits) {
  return addition_source(small_data(digits));
}

std::string source_refusal(const Dataset& data) {
  try {
    addition_source(data);
  } catch (const Error& error) {
    return error.what();
  }
  return "accepted";
}

TEST_CASE("a dataset of additions names its source", "[addition]") {
  const SourceMakers makers = {{kAdditionGenerator, addition_source}};
  CHECK(source_of(small_data(2), makers).count == 8100);
}

TEST_CASE("all additions of a dataset's digits are numbered, up to four digits", "[addition]") {
  const SampleSource source = source_for(1);
  REQUIRE(source.count == 81);
  const Split all = source.range(0, 81);
  REQUIRE(all.size() == 81);
  for (std::int64_t i = 0; i < 81; ++i) {
    const AdditionProblem problem = problem_at(1, i);
    REQUIRE(all.input(i)[0] == problem.a);
    REQUIRE(all.input(i)[2] == problem.b);
    REQUIRE(all.target(i)[0] * 10 + all.target(i)[1] == problem.a + problem.b);
  }
  CHECK(source_for(3).count == 810'000);
  CHECK(source_for(4).count == 81'000'000);
  CHECK(sample_text(source_for(4).range(80'999'999, 1), 0) == "9999+9999 -> 19998");
  CHECK(source_for(5).count == 0);
  CHECK_FALSE(source_for(5).range);
}

TEST_CASE("numbered additions have the form of the dataset's own", "[addition]") {
  const Dataset data = small_data(2);
  const Split some = addition_source(data).range(4000, 3);
  Split both = data.split("train");
  for (std::int64_t i = 0; i < 3; ++i) both.append(some, i);
  CHECK(both.size() == 23);
  CHECK(both.groups.front().size() == 23);
  CHECK(both.input_roles.size() == both.inputs.size());
  CHECK(both.target_roles.size() == both.targets.size());
  CHECK(*some.legend == *data.legend);
}

TEST_CASE("no epoch of additions has other samples than train", "[addition]") {
  CHECK_FALSE(source_for(2).epoch);
}

TEST_CASE("an addition is completed by its sum and its groups", "[addition]") {
  const SampleSource source = source_for(3);
  const Split split = source.complete(addition_legend(3)->vocabulary.read("007+995"));
  REQUIRE(split.size() == 1);
  CHECK(sample_text(split, 0) == "007+995 -> 1002");
  CHECK(split.groups.front().front() == 3);  // carries
  const std::vector<Token> nines = addition_legend(9)->vocabulary.read("999999999+999999999");
  CHECK(sample_text(source_for(9).complete(nines), 0) == "999999999+999999999 -> 1999999998");
}

TEST_CASE("what is no addition of the dataset's digits is not completed", "[addition]") {
  const SampleSource source = source_for(3);
  const Vocabulary& vocabulary = addition_legend(3)->vocabulary;
  const std::string example = sample_text(small_data(3).split("train"), 0);
  for (const char* text : {"12+34", "123+1", "1234567", "12++345", "+123123"}) {
    CAPTURE(text);
    CHECK_THROWS_MATCHES(source.complete(vocabulary.read(text)), Error,
                         Message("problem '" + std::string(text) +
                                 "' does not fit the data, whose problems are like " + example));
  }
}

TEST_CASE("a source of additions needs to know how many digits they have", "[addition]") {
  Dataset data = small_data(3);
  CHECK(source_refusal(data) == "accepted");
  for (const Json& digits : {Json(0), Json(10), Json("3"), Json(2.5), Json(nullptr)}) {
    data.generator["digits"] = digits;
    CHECK(source_refusal(data).starts_with(
        "the generator 'addition' should have 'digits' (1..9), but is {"));
  }
  data.generator.erase("digits");
  CHECK(source_refusal(data) ==
        "the generator 'addition' should have 'digits' (1..9), but is {\"name\":\"addition\"}");
}

TEST_CASE("data that only claims to be additions has no source", "[addition]") {
  const auto refused = [](const std::string& split, const std::string& digits) {
    return "split '" + split + "' is not what the data's generator 'addition' makes with " +
           digits + " digits";
  };
  Dataset other_digits = small_data(3);
  other_digits.generator["digits"] = 2;
  CHECK(source_refusal(other_digits) == refused("test", "2"));

  Dataset other_roles = small_data(1);
  auto legend = std::make_shared<Legend>(*other_roles.legend);
  legend->roles.back() = "s";
  other_roles.splits["val"].legend = legend;
  CHECK(source_refusal(other_roles) == refused("val", "1"));

  Dataset wrong_sums = small_data(3);
  Token& last_digit = wrong_sums.splits["train"].targets[3];
  last_digit = (last_digit + 1) % 10;
  CHECK(source_refusal(wrong_sums) == refused("train", "3"));

  Dataset with_positions = small_data(3);
  Split& val = with_positions.splits["val"];
  val.input_positions.assign(val.inputs.size(), 0);
  CHECK(source_refusal(with_positions) == refused("val", "3"));
}

}  // namespace
}  // namespace headway
