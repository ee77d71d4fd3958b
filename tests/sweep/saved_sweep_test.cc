// The last request for a sweep.
#include "lib/sweep/saved_sweep.h"

#include <catch2/catch_test_macros.hpp>

#include "tests/support/memory_file_system.h"

namespace headway::testing {
namespace {

using Texts = std::vector<std::string>;

SweepRequest request() {
  SweepRequest request;
  request.name = "heads";
  request.variant = "wide";
  request.sets = {"a=1", "name=\"quoted\" – ü"};
  request.changes.axes = {"seed=1,2", "note=[a, b]"};
  request.changes.settings = {{"method", "random"}, {"trials", "5"}};
  return request;
}

}  // namespace

TEST_CASE("a sweep is remembered as it was requested", "[sweep-memory]") {
  MemoryFileSystem files;
  const Layout layout("/headway-test/outputs");
  save_sweep(files, layout, "p", "heads-wide", request());
  const std::optional<SweepRequest> recalled = find_saved_sweep(files, layout, "p", "heads-wide");
  REQUIRE(recalled);
  CHECK(recalled->name == "heads");
  CHECK(recalled->variant == "wide");
  CHECK(recalled->sets == request().sets);
  CHECK(recalled->changes.axes == request().changes.axes);
  CHECK(recalled->changes.settings == request().changes.settings);
}

TEST_CASE("the last request for a sweep counts", "[sweep-memory]") {
  MemoryFileSystem files;
  const Layout layout("/headway-test/outputs");
  save_sweep(files, layout, "p", "s", request());
  SweepRequest other;
  other.name = "s";
  save_sweep(files, layout, "p", "s", other);
  const std::optional<SweepRequest> recalled = find_saved_sweep(files, layout, "p", "s");
  REQUIRE(recalled);
  CHECK(recalled->name == "s");
  CHECK(recalled->sets.empty());
  CHECK(recalled->changes.empty());
}

TEST_CASE("a sweep that was named after its axes keeps that name", "[sweep-memory]") {
  MemoryFileSystem files;
  const Layout layout("/headway-test/outputs");
  SweepRequest unnamed = request();
  unnamed.name = "";
  for (const char* label : {"by-lr", "by-lr@wide", "by-lr@wide@a=1"}) {
    CAPTURE(label);
    save_sweep(files, layout, "p", label, unnamed);
    const std::optional<SweepRequest> recalled = find_saved_sweep(files, layout, "p", label);
    REQUIRE(recalled);
    CHECK(recalled->name == "by-lr");
  }
  unnamed.changes.axes.clear();  // the only sweep of the file, whatever it is called now
  save_sweep(files, layout, "p", "s", unnamed);
  CHECK(find_saved_sweep(files, layout, "p", "s")->name.empty());
}

TEST_CASE("what never ran, or belongs to another pipeline, is not remembered", "[sweep-memory]") {
  MemoryFileSystem files;
  const Layout layout("/headway-test/outputs");
  CHECK_FALSE(find_saved_sweep(files, layout, "p", "s"));
  save_sweep(files, layout, "p", "s", request());
  CHECK_FALSE(find_saved_sweep(files, layout, "q", "s"));
  CHECK_FALSE(find_saved_sweep(files, layout, "p", "t"));
}

TEST_CASE("a damaged memory of a sweep is ignored", "[sweep-memory]") {
  MemoryFileSystem files;
  const Layout layout("/headway-test/outputs");
  save_sweep(files, layout, "p", "s", request());
  const Path path = saved_sweep_file(layout, "p", "s");
  const std::string whole = *files.read(path);
  for (const std::string& text :
       {std::string(), whole.substr(0, whole.size() / 2), std::string("[]"), std::string("{}"),
        std::string("null"), std::string("\xff\xfe"),
        std::string(R"({"name":1,"variant":"","sets":[],"axes":[],"settings":[]})"),
        std::string(R"({"name":"s","variant":"","sets":"a","axes":[],"settings":[]})"),
        std::string(R"({"name":"s","variant":"","sets":[],"axes":[],"settings":[["a"]]})")}) {
    CAPTURE(text);
    files.put(path, text);
    CHECK_FALSE(find_saved_sweep(files, layout, "p", "s"));
  }
}

}  // namespace headway::testing
