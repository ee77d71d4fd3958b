#include "tests/browser/report_fixture.h"

#include <catch2/catch_test_macros.hpp>
#include <cstdint>

#include "lib/base/json.h"

namespace headway::browser {
namespace {

constexpr std::int64_t kHeads = 2;
constexpr std::int64_t kInputs = 5;  // "7+8" and the ends
constexpr std::int64_t kOutputs = 3;

const std::vector<std::string> kTokens = {"0", "1", "2", "3", "4",   "5",   "6",
                                          "7", "8", "9", "+", "pad", "bos", "end"};
constexpr std::int32_t kPlusToken = 10;
constexpr std::int32_t kBosToken = 12;

// Rows add up to one, as attention does.
Array attention_weights(std::int64_t problems, std::int64_t queries, std::int64_t keys, int salt) {
  std::vector<float> weights;
  for (std::int64_t row = 0; row < problems * kHeads * queries; ++row) {
    std::vector<float> raw;
    float sum = 0;
    for (std::int64_t key = 0; key < keys; ++key) {
      raw.push_back(static_cast<float>(1 + (salt + row * 5 + key * 3 + row * key) % 13));
      sum += raw.back();
    }
    for (const float weight : raw) weights.push_back(weight / sum);
  }
  return Array::of({problems, kHeads, queries, keys}, std::span<const float>(weights));
}

Array token_array(std::int64_t problems, const std::vector<std::int32_t>& tokens) {
  std::vector<std::int32_t> all;
  for (std::int64_t i = 0; i < problems; ++i) all.insert(all.end(), tokens.begin(), tokens.end());
  return Array::of({problems, static_cast<std::int64_t>(tokens.size())},
                   std::span<const std::int32_t>(all));
}

// Numbers that sort differently as text, one of them missing.
constexpr const char* kTable =
    "label,drop,share\n"
    "Encoder L0 H0,9.5,0.095\n"
    "Encoder L0 H1,10.25,0.1025\n"
    "Encoder L1 H0,-1,0\n"
    "Encoder L1 H1,,1\n"
    "Decoder Self L0 H0,10.3,0.9995\n"
    "Decoder Cross L0 H0,0.002,0.00002\n";

constexpr const char* kFigure = R"svg(<?xml version="1.0" encoding="utf-8"?>
<svg width="640" height="400" viewBox="0 0 640 400" xmlns="http://www.w3.org/2000/svg">
<title>Curves</title><defs><clipPath id="clip"><rect width="640" height="400"/></clipPath></defs>
<rect width="640" height="400" fill="#ffffff"/>
<path clip-path="url(#clip)" d="M40,360 L200,120 L600,40" fill="none" stroke="#0072b2" stroke-width="2"/>
<text x="320" y="390" text-anchor="middle" font-family="sans-serif">epoch</text>
</svg>
)svg";

constexpr const char* kText = R"(# What the heads do

Right on {{ evaluation.greedy percent }} of {{ evaluation.problems count }} problems.

## Learning

{{ figure curves "Accuracy by *epoch*." }}

## Heads

{{ table heads percent=share rows=4 "Heads, and what is lost without each." }}

## Attention

{{ explorer maps }}

With $softmax(x)_i = \frac{e^{x_i}}{\sum_j e^{x_j}}$.
)";

}  // namespace

TensorFile small_maps(const std::vector<std::string>& problems) {
  const auto count = static_cast<std::int64_t>(problems.size());
  TensorFile maps;
  maps.metadata["problems"] = to_line(Json(problems));
  maps.metadata["tokens"] = to_line(Json(kTokens));
  maps.metadata["heads"] = to_line(Json{{"encoder.0.self", {0, 1}},
                                        {"encoder.1.self", {0, 3}},  // 1 and 2 were pruned
                                        {"decoder.0.self", {0, 1}},
                                        {"decoder.0.cross", {0, 1}}});
  maps.arrays["encoder.0.self"] = attention_weights(count, kInputs, kInputs, 1);
  maps.arrays["encoder.1.self"] = attention_weights(count, kInputs, kInputs, 2);
  maps.arrays["decoder.0.self"] = attention_weights(count, kOutputs, kOutputs, 3);
  maps.arrays["decoder.0.cross"] = attention_weights(count, kOutputs, kInputs, 4);
  maps.arrays["inputs"] = token_array(count, {0, 7, kPlusToken, 0, 8});
  maps.arrays["decoder_inputs"] = token_array(count, {kBosToken, 0, 1});
  maps.arrays["targets"] = token_array(count, {0, 1, 5});
  maps.arrays["predictions"] = token_array(count, {0, 1, 6});
  return maps;
}

TensorFile words_maps(const std::string& site, const std::string& tokens,
                      const std::vector<std::string>& words) {
  const auto count = static_cast<std::int64_t>(words.size());
  std::vector<std::int32_t> numbers;
  for (std::int64_t i = 0; i < count; ++i) numbers.push_back(static_cast<std::int32_t>(i));
  TensorFile maps;
  maps.metadata["problems"] = R"(["some words"])";
  maps.metadata["tokens"] = to_line(Json(words));
  maps.arrays[site] = attention_weights(1, count, count, 1);
  maps.arrays[tokens] = Array::of({1, count}, numbers);
  return maps;
}

ReportArtifacts small_artifacts() {
  return {kTable, kFigure, R"({"greedy": 0.9995, "problems": 20000})",
          small_maps({"07+08=015", "17+08=025"}), kText};
}

std::string report_pipeline() {
  return R"(name: shown
stages:
  attention:
    uses: shell
    outs: {maps: maps.safetensors}
    with: {run: "cat maps.safetensors > {out.maps}", code: [maps.safetensors]}
  ablate:
    uses: shell
    outs: {table: heads.csv}
    with: {run: "cat heads.csv > {out.table}", code: [heads.csv]}
  curves:
    uses: shell
    outs: {figure: curves.svg}
    with: {run: "cat curves.svg > {out.figure}", code: [curves.svg]}
  evaluate:
    uses: shell
    outs: {metrics: metrics.json}
    with: {run: "cat metrics.json > {out.metrics}", code: [metrics.json]}
  report:
    uses: report
    in: {curves: curves.figure, heads: ablate.table, maps: attention.maps, evaluation: evaluate.metrics}
    with: {template: report.md}
)";
}

MadeReport::MadeReport(const ReportArtifacts& artifacts, const std::string& pipeline,
                       const std::string& file) {
  sandbox_.write("maps.safetensors", to_safetensors(artifacts.maps));
  sandbox_.write("heads.csv", artifacts.heads);
  sandbox_.write("curves.svg", artifacts.curves);
  sandbox_.write("metrics.json", artifacts.metrics);
  sandbox_.write("report.md", artifacts.text);
  sandbox_.write(file, pipeline);
  const e2e::Outcome outcome = sandbox_.headway({"run", file});
  INFO(outcome.all());
  REQUIRE(outcome.exit_code == 0);
  REQUIRE(std::filesystem::exists(page()));
}

}  // namespace headway::browser
