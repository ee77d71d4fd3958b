// What stage types declare of their metrics, and that they keep to it.
#include <algorithm>
#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers.hpp>

#include "lib/base/error.h"
#include "stages/artifacts.h"
#include "stages/registry.h"
#include "tests/support/job_folder.h"

namespace headway::testing {
namespace {

class WritingContext : public StageContext {
 public:
  using StageContext::StageContext;
  void progress(double, std::string_view) override {}
  bool cancelled() const override { return false; }
};

StageType measuring() {
  StageType type;
  type.name = "measuring";
  type.outputs = {{"metrics", "metrics.json", "what it measured"}};
  type.metrics = {"loss", "accuracy.*"};
  return type;
}

// Writes the metrics and checks them by the declaration.
void write_checked(const Json& metrics, const StageType& type) {
  const JobFolder folder;
  const StageJob job = folder.job("s", type.name, {}, {"metrics"});
  const WritingContext context(job);
  write_metrics(context, metrics);
  check_metrics(context, type);
}

TEST_CASE("every stage type with metrics declares them", "[stages]") {
  const StageRegistry types = all_stages();
  for (const std::string& name : types.names()) {
    const StageType& type = *types.find(name);
    INFO(name);
    const bool writes = std::ranges::count(type.outputs, "metrics", &Output::name) > 0;
    CHECK(type.metrics.empty() != writes);
  }
}

TEST_CASE("declared metrics may be written, and null stands for none", "[stages]") {
  CHECK_NOTHROW(
      write_checked({{"loss", 1}, {"accuracy", {{"8", 1}, {"16", {{"low", 0}}}}}}, measuring()));
  CHECK_NOTHROW(write_checked({{"loss", 1}, {"perplexity", nullptr}}, measuring()));
}

TEST_CASE("a metric that is not declared is a failure, and is named", "[stages]") {
  CHECK_THROWS_WITH(write_checked({{"loss", 1}, {"by", {{"size", 2}}}}, measuring()),
                    "the stage wrote the metric 'by.size', which its type 'measuring' does not "
                    "declare");
  StageType silent = measuring();
  silent.metrics.clear();
  CHECK_THROWS_AS(write_checked({{"loss", 1}}, silent), Error);
}

TEST_CASE("types without metrics have nothing to check", "[stages]") {
  const JobFolder folder;
  const StageJob job = folder.job("s", "plain", {}, {"table"});
  const WritingContext context(job);
  CHECK_NOTHROW(check_metrics(context, StageType{.name = "plain"}));
}

}  // namespace
}  // namespace headway::testing
