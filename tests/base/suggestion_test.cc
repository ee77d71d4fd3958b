#include <catch2/catch_test_macros.hpp>

#include "lib/base/text.h"

namespace headway {
namespace {

const std::vector<std::string> kNames = {"epochs", "lr", "learning_rate", "mode", "model"};

TEST_CASE("a close name is suggested, whatever the typo", "[base]") {
  CHECK(did_you_mean("epoch", kNames) == "; did you mean 'epochs'?");    // a letter lost
  CHECK(did_you_mean("epochss", kNames) == "; did you mean 'epochs'?");  // a letter doubled
  CHECK(did_you_mean("epocjs", kNames) == "; did you mean 'epochs'?");   // the key beside
  CHECK(did_you_mean("epcohs", kNames) == "; did you mean 'epochs'?");   // two letters swapped
  CHECK(did_you_mean("learnign-rate", kNames) == "; did you mean 'learning_rate'?");
}

TEST_CASE("the closest name wins, and the first among equals", "[base]") {
  CHECK(did_you_mean("modell", kNames) == "; did you mean 'model'?");
  CHECK(did_you_mean("modes", {"model", "mode"}) == "; did you mean 'model'?");
  CHECK(did_you_mean("modes", {"mode", "model"}) == "; did you mean 'mode'?");
}

TEST_CASE("nothing is suggested if nothing is close", "[base]") {
  CHECK(did_you_mean("batch", kNames) == "");
  CHECK(did_you_mean("x", {"abc"}) == "");
  CHECK(did_you_mean("", kNames) == "");
  CHECK(did_you_mean("epochs", {}) == "");
}

TEST_CASE("a very long name is not compared with anything", "[base]") {
  CHECK(did_you_mean(std::string(100'000, 'a'), {std::string(100'000, 'a') + "b"}) == "");
}

}  // namespace
}  // namespace headway
