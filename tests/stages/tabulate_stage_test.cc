// The `tabulate` stage as a worker runs it.
#include <catch2/catch_test_macros.hpp>

#include "lib/base/error.h"
#include "stages/stages.h"
#include "tests/support/job_folder.h"

namespace headway::testing {
namespace {

class TabulateContext : public StageContext {
 public:
  using StageContext::StageContext;
  void progress(double, std::string_view) override {}
  bool cancelled() const override { return false; }
};

StageJob tabulate_job(const JobFolder& folder, const Json& params) {
  StageJob job = folder.job("t", "tabulate", params, {"table", "markdown"});
  InputPaths input{"table", {"one", "two"}, {}};
  for (const char* name : {"one.csv", "two.csv"}) {
    input.paths.push_back(folder.path() / name);
    RealFileSystem().write(input.paths.back(), "length,accuracy\n8,0.5\n16,1\n",
                           Durability::kCached);
  }
  job.inputs = {input};
  return job;
}

TEST_CASE("tables of a fan-in become rows under the items' names", "[tabulate]") {
  const JobFolder folder;
  const StageJob job = tabulate_job(
      folder, {{"value", "accuracy"}, {"across", "length"}, {"first", {"16"}}, {"percent", true}});
  TabulateContext context(job);
  run_tabulate(context);
  CHECK(output_of(job, "table") == "item,16,8\none,100.0,50.0\ntwo,100.0,50.0\n");
  CHECK(output_of(job, "markdown") ==
        "| item | 16 | 8 |\n| --- | --- | --- |\n| one | 100.0 | 50.0 |\n| two | 100.0 | 50.0 |\n");
}

TEST_CASE("a table without the column is named by its item", "[tabulate]") {
  const JobFolder folder;
  const StageJob job = tabulate_job(folder, {{"value", "loss"}, {"across", "length"}});
  TabulateContext context(job);
  try {
    run_tabulate(context);
    FAIL("there is no such column");
  } catch (const Error& error) {
    CHECK(std::string(error.what()).find("'one'") != std::string::npos);
    CHECK(std::string(error.what()).find("loss") != std::string::npos);
  }
}

TEST_CASE("every parameter and output of tabulate is documented", "[tabulate]") {
  const StageType type = tabulate_stage();
  for (const Field& field : type.params->fields()) CHECK_FALSE(field.help.empty());
  for (const Output& output : type.outputs) CHECK_FALSE(output.help.empty());
}

}  // namespace
}  // namespace headway::testing
