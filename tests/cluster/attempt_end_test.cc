// The record that ends an attempt: what it says, and when it is believed.
#include "lib/cluster/attempt_end.h"

#include <sys/stat.h>

#include <algorithm>
#include <catch2/catch_test_macros.hpp>

#include "lib/base/error.h"
#include "tests/support/faulty_file_system.h"
#include "tests/support/memory_file_system.h"
#include "tests/support/temporary_folder.h"

namespace headway::testing {
namespace {

StageJob job_in(const Path& work) {
  StageJob job;
  job.stage = "train";
  job.work = work;
  job.outputs = {{"model", work / "out/model.bin"}, {"plots", work / "out/plots"}};
  return job;
}

void write_outputs(MemoryFileSystem& files, const StageJob& job) {
  files.put(job.outputs[0].second, "weights");
  files.put(job.outputs[1].second / "a.svg", "picture");
  files.put(job.outputs[1].second / "deep/b.svg", "another");
}

// Those of an attempt that succeeded.
AttemptEnd recorded(FileSystem& files, const StageJob& job) {
  const AttemptEnd end = describe_end(files, job, {});
  write_ends(files, {{&job, end}});
  return end;
}

TEST_CASE("a record comes back as it was written") {
  MemoryFileSystem files;
  const StageJob job = job_in("/session/attempts/7-000001");
  write_outputs(files, job);
  StageResult result;
  result.message = "a message — with \"quotes\"";
  result.seconds = 1.5;
  result.cpu_seconds = 3;
  result.peak_memory = ~std::uint64_t{0};
  result.machine = {{"node", "n1"}};
  result.numerics = "x86-64-v3";
  result.notice = "look";
  write_ends(files, {{&job, describe_end(files, job, result)}});
  const std::optional<AttemptEnd> end = read_end(files, job);
  REQUIRE(end);
  CHECK(end->attempt == "7-000001");
  CHECK(end->result.status == StageResult::Status::kSucceeded);
  CHECK(end->result.message == result.message);
  CHECK(end->result.seconds == 1.5);
  CHECK(end->result.cpu_seconds == 3);
  CHECK(end->result.peak_memory == ~std::uint64_t{0});
  CHECK(end->result.machine == result.machine);
  CHECK(end->result.numerics == result.numerics);
  CHECK(end->result.notice == result.notice);
  CHECK(end->outputs.size() == 2);
  CHECK(missing_of(files, job, *end) == "");
}

TEST_CASE("every way to end has a name in the record") {
  using Status = StageResult::Status;
  for (const Status status : {Status::kSucceeded, Status::kFailed, Status::kTimedOut,
                              Status::kCancelled, Status::kLost}) {
    const std::optional<AttemptEnd> end =
        AttemptEnd::parse(to_line(AttemptEnd{"1", {status}}.to_json()));
    REQUIRE(end);
    CHECK(end->result.status == status);
  }
}

TEST_CASE("an attempt that failed has no outputs in its record") {
  MemoryFileSystem files;
  const StageJob job = job_in("/a/1");
  write_outputs(files, job);
  CHECK(describe_end(files, job, {StageResult::Status::kFailed, "exit code 3"}).outputs.empty());
}

TEST_CASE("a truncated record is rejected") {
  MemoryFileSystem files;
  const StageJob job = job_in("/a/1");
  write_outputs(files, job);
  const std::string text = to_line(recorded(files, job).to_json());
  REQUIRE(AttemptEnd::parse(text));
  for (std::size_t length = 0; length < text.size(); ++length)
    CHECK_FALSE(AttemptEnd::parse(text.substr(0, length)));
}

TEST_CASE("a record with a field that is missing or of another type is not one") {
  MemoryFileSystem files;
  const StageJob job = job_in("/a/1");
  write_outputs(files, job);
  const Json whole = recorded(files, job).to_json();
  for (const auto& [name, value] : whole.items()) {
    CAPTURE(name);
    Json without = whole;
    without.erase(name);
    CHECK_FALSE(AttemptEnd::parse(to_line(without)));
    if (name == "machine") continue;  // is any value
    Json other = whole;
    other[name] = name == "outputs" ? Json{{"a", 1}} : Json::array({1});
    CHECK_FALSE(AttemptEnd::parse(to_line(other)));
  }
  Json odd = whole;
  odd["status"] = "great";
  CHECK_FALSE(AttemptEnd::parse(to_line(odd)));
  odd = whole;
  odd["outputs"][0]["digest"] = "12";
  CHECK_FALSE(AttemptEnd::parse(to_line(odd)));
  odd = whole;
  odd["peak_memory"] = -1;
  CHECK_FALSE(AttemptEnd::parse(to_line(odd)));
}

TEST_CASE("a record that was copied from another attempt is not believed") {
  MemoryFileSystem files;
  const StageJob one = job_in("/a/1"), two = job_in("/a/2");
  write_outputs(files, one);
  write_outputs(files, two);
  recorded(files, one);
  files.copy(one.work / "end.json", two.work / "end.json");
  CHECK(read_end(files, one));
  CHECK_FALSE(read_end(files, two));
}

TEST_CASE("without a record, or with a damaged one, an attempt has not ended") {
  MemoryFileSystem files;
  const StageJob job = job_in("/a/1");
  CHECK_FALSE(read_end(files, job));  // not even a folder
  write_outputs(files, job);
  CHECK_FALSE(read_end(files, job));
  recorded(files, job);
  const std::string text = *files.read(job.work / "end.json");
  files.put(job.work / "end.json", text.substr(0, text.size() / 2));
  CHECK_FALSE(read_end(files, job));
}

TEST_CASE("an output that is missing or other than recorded is named") {
  MemoryFileSystem files;
  const StageJob job = job_in("/a/1");
  write_outputs(files, job);
  const AttemptEnd end = recorded(files, job);
  SECTION("a file that is not there") {
    files.remove(job.outputs[0].second);
    CHECK(missing_of(files, job, end) == "output 'model' is not there yet");
  }
  SECTION("a file with other contents") {
    files.put(job.outputs[0].second, "weight");
    CHECK(missing_of(files, job, end) ==
          "output 'model' does not have the contents that its node wrote");
  }
  SECTION("a folder that lacks a file") {
    files.remove(job.outputs[1].second / "deep/b.svg");
    CHECK(missing_of(files, job, end) ==
          "output 'plots' does not have the contents that its node wrote");
  }
  SECTION("a folder with a file that has other contents") {
    files.put(job.outputs[1].second / "deep/b.svg", "");
    CHECK(missing_of(files, job, end) ==
          "output 'plots' does not have the contents that its node wrote");
  }
  SECTION("a folder with one file more") {
    files.put(job.outputs[1].second / "deep/c.svg", "");
    CHECK(missing_of(files, job, end) ==
          "output 'plots' does not have the contents that its node wrote");
  }
  SECTION("an output that the stage does not have") {
    AttemptEnd other = end;
    other.outputs.push_back({"nothing", end.outputs[0].digest});
    CHECK(missing_of(files, job, other) == "output 'nothing' is not ours");
  }
  SECTION("an output that cannot be read") {
    FaultyFileSystem bad(files);
    bad.break_path(job.outputs[0].second);
    CHECK(missing_of(bad, job, end).starts_with("output 'model' cannot be read: "));
  }
}

TEST_CASE("a link in an output counts by where it leads to") {
  MemoryFileSystem files;
  const StageJob job = job_in("/a/1");
  write_outputs(files, job);
  files.make_link("a.svg", job.outputs[1].second / "first.svg");
  const AttemptEnd end = recorded(files, job);
  CHECK(missing_of(files, job, end) == "");
  files.remove(job.outputs[1].second / "first.svg");
  files.make_link("deep/b.svg", job.outputs[1].second / "first.svg");
  CHECK(missing_of(files, job, end) ==
        "output 'plots' does not have the contents that its node wrote");
}

TEST_CASE("an output that is missing on the node is left to the engine") {
  MemoryFileSystem files;
  const StageJob job = job_in("/a/1");
  files.put(job.outputs[0].second, "weights");
  const AttemptEnd end = recorded(files, job);
  REQUIRE(end.outputs.size() == 1);
  CHECK(end.outputs[0].name == "model");
  CHECK(missing_of(files, job, end) == "");
}

TEST_CASE("an attempt with an output that its node cannot read is lost") {
  MemoryFileSystem files;
  const StageJob job = job_in("/a/1");
  write_outputs(files, job);
  FaultyFileSystem bad(files);
  bad.break_path(job.outputs[0].second);
  const AttemptEnd end = describe_end(bad, job, {});
  CHECK(end.result.status == StageResult::Status::kLost);
  CHECK(end.result.message.starts_with("output 'model' cannot be read: "));
  CHECK(end.outputs.empty());
}

TEST_CASE("an output that its node has not seen is not believed") {
  MemoryFileSystem files;
  const StageJob job = job_in("/a/1");
  write_outputs(files, job);
  AttemptEnd end = describe_end(files, job, {});
  CHECK(missing_of(files, job, end) == "");
  end.outputs.pop_back();
  CHECK(missing_of(files, job, end) == "output 'plots' was not there when its node looked");
}

TEST_CASE("the x bit of an output is part of its digest") {
  const TemporaryFolder folder;
  RealFileSystem files;
  const StageJob job = job_in(folder / "1");
  files.make_directories(job.outputs[1].second);
  files.write(job.outputs[0].second, "weights", Durability::kCached);
  const AttemptEnd end = describe_end(files, job, {});
  CHECK(missing_of(files, job, end) == "");
  std::filesystem::permissions(job.outputs[0].second, std::filesystem::perms::owner_all);
  CHECK(missing_of(files, job, end) ==
        "output 'model' does not have the contents that its node wrote");
}

TEST_CASE("a record that cannot be written does not keep others from being written") {
  MemoryFileSystem disk;
  const StageJob one = job_in("/a/1"), two = job_in("/a/2");
  write_outputs(disk, one);
  write_outputs(disk, two);
  FaultyFileSystem files(disk);
  files.make_read_only(one.work);
  CHECK_THROWS_AS(
      write_ends(files, {{&one, describe_end(disk, one, {})}, {&two, describe_end(disk, two, {})}}),
      Error);
  CHECK_FALSE(read_end(disk, one));
  CHECK(read_end(disk, two));
}

TEST_CASE("an output that is a pipe does not block the node") {
  const TemporaryFolder folder;
  RealFileSystem files;
  StageJob job = job_in(folder / "1");
  files.make_directories(job.outputs[1].second);
  REQUIRE(::mkfifo(job.outputs[0].second.c_str(), 0600) == 0);
  REQUIRE(::mkfifo((job.outputs[1].second / "pipe").c_str(), 0600) == 0);
  const AttemptEnd end = describe_end(files, job, {});
  CHECK(end.outputs.size() == 2);
  CHECK(missing_of(files, job, end) == "");  // what it is, the engine sees when it keeps it
}

TEST_CASE("records are written after all outputs are on the disk") {
  MemoryFileSystem files;
  const StageJob one = job_in("/a/1"), two = job_in("/a/2");
  write_outputs(files, one);
  write_outputs(files, two);
  FaultyFileSystem watched(files);
  std::vector<std::string> order;
  watched.before = [&](std::size_t, std::string_view doing) { order.emplace_back(doing); };
  const StageResult long_enough{.seconds = 2};  // shorter ones do not wait for the disk
  write_ends(watched, {{&one, describe_end(files, one, long_enough)},
                       {&two, describe_end(files, two, long_enough)}});
  const auto does = [](const char* what) {
    return [what](const std::string& doing) { return doing.starts_with(what); };
  };
  CHECK(std::ranges::count_if(order, does("sync")) >= 4);  // two outputs of each
  const auto first_write = std::ranges::find_if(order, does("write"));
  REQUIRE(first_write != order.end());
  CHECK(std::none_of(first_write, order.end(), does("sync")));
  files.remove(one.work / "end.json");
  watched.heal();
  watched.break_at(0, false);
  CHECK_THROWS_AS(write_ends(watched, {{&one, describe_end(files, one, long_enough)}}), Error);
  CHECK_FALSE(read_end(files, one));
}

}  // namespace
}  // namespace headway::testing
