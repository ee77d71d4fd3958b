#include "lib/worker/protocol.h"

#include <catch2/catch_test_macros.hpp>
#include <catch2/generators/catch_generators.hpp>
#include <catch2/matchers/catch_matchers_exception.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>

namespace headway {
namespace {

using Catch::Matchers::Message;
using Kind = WorkerEvent::Kind;

StageJob full_job() {
  StageJob job;
  job.stage = "train@2,\"wide\"";
  job.type = "train-seq2seq";
  job.params = {
      {"lr", 0.1}, {"epochs", 30}, {"whole", 1.0}, {"name", "é\n\t\"\\"}, {"none", nullptr}};
  job.inputs = {{"data", {""}, {"/tmp/a b/c\nd"}},
                {"table", {"1", "2"}, {"/x/1", "/x/2"}, {{"3", "exit code 7"}}}};
  job.outputs = {{"model", "/tmp/out/\xF0\x9F\x9A\x82.bin"},
                 {"extra", "/tmp/\xFF\xFE\x01/not utf-8"}};
  job.work = "/tmp/work";
  job.partial = "relative/partial 'quoted'";
  job.resume_on_other_numerics = true;
  job.log = "/tmp/\x1B[31mlog";
  job.folder = "/tmp/pipelines of mine";
  job.key = digest_of("key");
  job.resources = {2, 1'000'000'000'000, 90.5, 1};
  job.script = "echo \xFF";
  job.environment = {"A=1", "B=\xFE"};
  return job;
}

std::string without(const std::string& name) {
  Json json = Json::parse(request_line(full_job()));
  json.erase(name);
  return to_line(json);
}

std::string with(const std::string& name, const Json& value) {
  Json json = Json::parse(request_line(full_job()));
  json[name] = value;
  return to_line(json);
}

TEST_CASE("a request arrives as it was sent, including odd characters") {
  const StageJob sent = full_job();
  const std::string line = request_line(sent);
  CHECK(line.find('\n') == std::string::npos);
  const StageJob got = parse_request(line);
  CHECK(got.stage == sent.stage);
  CHECK(got.type == sent.type);
  CHECK(got.params.dump() == sent.params.dump());
  REQUIRE(got.inputs.size() == 2);
  CHECK(got.inputs[0].port == "data");
  CHECK(got.inputs[0].paths == sent.inputs[0].paths);
  CHECK(got.inputs[1].items == sent.inputs[1].items);
  CHECK(got.inputs[1].paths == sent.inputs[1].paths);
  REQUIRE(got.inputs[1].lost.size() == 1);
  CHECK(got.inputs[1].lost[0].item == "3");
  CHECK(got.inputs[1].lost[0].reason == "exit code 7");
  CHECK(got.outputs == sent.outputs);
  CHECK(got.work == sent.work);
  CHECK(got.partial == sent.partial);
  CHECK(got.resume_on_other_numerics == sent.resume_on_other_numerics);
  CHECK(got.log == sent.log);
  CHECK(got.folder == sent.folder);
  CHECK(got.key == sent.key);
  CHECK(got.resources == sent.resources);
  CHECK(got.script == sent.script);
  CHECK(got.environment == sent.environment);
}

TEST_CASE("a parameter that is not UTF-8 is refused, not altered") {
  StageJob job = full_job();
  job.stage = "train";
  job.params["name"] = "\xFF";
  CHECK_THROWS_MATCHES(request_line(job), Error,
                       Message("stage 'train': a parameter or name is not UTF-8"));
}

TEST_CASE("an invalid request is refused with the reason") {
  const auto [line, message] = GENERATE(table<std::string, std::string>({
      {"", "not a request, not even JSON: "},
      {"hello\x1B[2J", "not a request, not even JSON: hello\xEF\xBF\xBD[2J"},
      {"{\"stage\": ", "not a request, not even JSON: {\"stage\": "},
      {"[1, 2]", "not a request: [1, 2]"},
      {"{}", "bad request: 'stage' is missing"},
      {without("params"), "bad request: 'params' is missing"},
      {without("log"), "bad request: 'log' is missing"},
      {with("type", 3), "bad request: 'type' cannot be 3"},
      {with("cpus", "two"), "bad request: 'cpus' cannot be \"two\""},
      {with("resume_on_other_numerics", 1), "bad request: 'resume_on_other_numerics' cannot be 1"},
      {with("log", {"a"}), "bad request: 'log' cannot be [\"a\"]"},
      {with("inputs", 5), "bad request: 'inputs' must be a list of objects"},
      {with("inputs", {1}), "bad request: 'inputs' must be a list of objects"},
      {with("inputs", {{{"port", "x"}}}), "bad request: 'items' is missing"},
      {with("outputs", {{{"name", "x"}}}), "bad request: 'path' is missing"},
  }));
  CHECK_THROWS_MATCHES(parse_request(line), ProtocolError, Message(message));
}

TEST_CASE("events arrive as they were sent") {
  const WorkerEvent progress = parse_event(
      event_line({.kind = Kind::kProgress, .fraction = 0.25, .text = "epoch 3\nof \"30\""}));
  CHECK(progress.kind == Kind::kProgress);
  CHECK(progress.fraction == 0.25);
  CHECK(progress.text == "epoch 3\nof \"30\"");
  CHECK_FALSE(progress.ends_job());

  const WorkerEvent done = parse_event(event_line({.kind = Kind::kDone,
                                                   .text = {},
                                                   .cpu_seconds = 1.5,
                                                   .peak_memory = 5'000'000'000,
                                                   .numerics = "AVX2",
                                                   .notice = "it starts from nothing"}));
  CHECK(done.kind == Kind::kDone);
  CHECK(done.cpu_seconds == 1.5);
  CHECK(done.peak_memory == 5'000'000'000);
  CHECK(done.numerics == "AVX2");
  CHECK(done.notice == "it starts from nothing");
  CHECK(done.ends_job());

  CHECK(parse_event(event_line({.kind = Kind::kStarted, .text = {}})).kind == Kind::kStarted);
  CHECK(parse_event(event_line({.kind = Kind::kFailed, .text = "no"})).text == "no");
  CHECK(parse_event(event_line({.kind = Kind::kCancelled, .text = {}})).kind == Kind::kCancelled);
}

TEST_CASE("messages that are not UTF-8 are shown as well as possible") {
  const WorkerEvent event =
      parse_event(event_line({.kind = Kind::kFailed, .text = "bad \xFF byte"}));
  CHECK(event.text == "bad \xEF\xBF\xBD byte");
}

TEST_CASE("an invalid event is refused with the reason") {
  const auto [line, message] = GENERATE(table<std::string, std::string>({
      {"segmentation fault", "not an event, not even JSON: segmentation fault"},
      {"7", "not an event: 7"},
      {"{}", "bad event: 'event' is missing"},
      {R"({"event": "finished"})", "bad event: unknown event 'finished'"},
      {R"({"event": "progress", "words": ""})", "bad event: 'fraction' is missing"},
      {R"({"event": "progress", "words": "", "fraction": "half"})",
       "bad event: 'fraction' cannot be \"half\""},
      {R"({"event": "failed"})", "bad event: 'message' is missing"},
      {R"({"event": "done"})", "bad event: 'cpu_seconds' is missing"},
  }));
  CHECK_THROWS_MATCHES(parse_event(line), ProtocolError, Message(message));
}

TEST_CASE("a line that is nested a million levels deep is not accepted") {
  const std::string deep = "{\"event\":" + std::string(1'000'000, '[');
  CHECK_THROWS_AS(parse_event(deep), ProtocolError);
  CHECK_THROWS_AS(parse_request(deep + std::string(1'000'000, ']') + "}"), ProtocolError);
}

TEST_CASE("a megabyte of short lines is processed quickly") {
  LineBuffer buffer;
  buffer.add(std::string(1'000'000, '\n'));
  int lines = 0;
  while (buffer.take()) ++lines;
  CHECK(lines == 1'000'000);
  CHECK(buffer.empty());
}

TEST_CASE("lines come out whole, however the bytes arrive") {
  LineBuffer buffer;
  buffer.add("one");
  CHECK_FALSE(buffer.take());
  buffer.add(" line\n\nthree\nfo");
  CHECK(buffer.take() == "one line");
  CHECK(buffer.take() == "");
  CHECK(buffer.take() == "three");
  CHECK_FALSE(buffer.take());
  CHECK_FALSE(buffer.empty());
  buffer.add("ur\n");
  CHECK(buffer.take() == "four");
  CHECK(buffer.empty());
}

TEST_CASE("an endless line is noticed before it fills the memory") {
  LineBuffer buffer(10);
  buffer.add("0123456789");
  CHECK_FALSE(buffer.take());
  buffer.add("0");
  CHECK_THROWS_MATCHES(buffer.take(), ProtocolError, Message("a line is longer than 10 B"));

  LineBuffer whole(3);
  whole.add("four\n");
  CHECK_THROWS_AS(whole.take(), ProtocolError);
}

}  // namespace
}  // namespace headway
