// The attention explorer of a report, used like a reader does: it shows the contents of the
// artifact.
#include <fmt/format.h>

#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers_floating_point.hpp>

#include "tests/browser/opened_report.h"

namespace headway::browser {
namespace {

using Catch::Matchers::WithinAbs;

struct ExploredHead {
  std::string array;   // "decoder.0.cross"
  std::string module;  // what the page calls it
  int layer = 0;
  int head = 0;       // the index in the array
  std::string label;  // the page's name for it
};

const std::vector<ExploredHead> kExplored{
    {"encoder.0.self", "Encoder self", 0, 0, "Encoder L0 H0"},
    {"encoder.0.self", "Encoder self", 0, 1, "Encoder L0 H1"},
    {"encoder.1.self", "Encoder self", 1, 0, "Encoder L1 H0"},
    {"encoder.1.self", "Encoder self", 1, 1, "Encoder L1 H3"},
    {"decoder.0.self", "Decoder self", 0, 0, "Decoder Self L0 H0"},
    {"decoder.0.self", "Decoder self", 0, 1, "Decoder Self L0 H1"},
    {"decoder.0.cross", "Decoder cross", 0, 0, "Decoder Cross L0 H0"},
    {"decoder.0.cross", "Decoder cross", 0, 1, "Decoder Cross L0 H1"},
};

std::string choice(int number) {
  return fmt::format(".explorer .choices label:nth-child({}) select", number);
}

const std::string kProblemChoice = choice(1), kModule = choice(2), kLayer = choice(3),
                  kHead = choice(4);

std::string map_cell(int query, int key) {
  return fmt::format(".map td[data-query='{}'][data-key='{}']", query, key);
}

void choose_head(Page& page, int problem, const ExploredHead& head) {
  page.choose(kProblemChoice, std::to_string(problem));
  page.choose(kModule, head.module);
  page.choose(kLayer, std::to_string(head.layer));
  page.choose(kHead, std::to_string(head.head));
}

// [query, key] of one head on one problem, row by row.
std::vector<float> true_weights(const TensorFile& maps, int problem, const ExploredHead& head) {
  const Array& array = maps.at(head.array);
  const std::vector<float> all = array.floats();
  const std::int64_t cells = array.shape[2] * array.shape[3];
  const auto first = all.begin() + (problem * array.shape[1] + head.head) * cells;
  return {first, first + cells};
}

std::string map_title(Page& page) {
  return page.evaluate("document.querySelector('.views h4').textContent");
}

// "7 → +: 0.123 (12.3 %)", and the places.
std::string described(Page& page) {
  return page.evaluate("document.querySelector('.description').firstChild.textContent");
}

double weight_in(const std::string& sentence) {
  return std::stod(sentence.substr(sentence.rfind(": ") + 2));
}

TEST_CASE("the explorer shows the artifact's weights for every head and every problem") {
  if (chromium_path().empty()) SKIP(kNoChromium);
  const ReportArtifacts artifacts = small_artifacts();
  OpenedReport report(artifacts);
  for (const int problem : {0, 1}) {
    for (const ExploredHead& head : kExplored) {
      choose_head(report.page(), problem, head);
      CAPTURE(problem, head.label);
      CHECK(map_title(report.page()) == head.label);
      const Json cells = report->evaluate(
          "Array.from(document.querySelectorAll('.map td'), cell => "
          "cell.getAttribute('aria-label'))");
      const std::vector<float> weights = true_weights(artifacts.maps, problem, head);
      REQUIRE(cells.size() == weights.size());
      for (std::size_t i = 0; i < weights.size(); ++i) {
        CHECK_THAT(weight_in(cells[i]), WithinAbs(weights[i], 0.0006));
      }
    }
  }
  report.check_quiet();
}

TEST_CASE("hovering over a cell shows its weight and highlights its tokens") {
  if (chromium_path().empty()) SKIP(kNoChromium);
  const ReportArtifacts artifacts = small_artifacts();
  OpenedReport report(artifacts);
  const ExploredHead& cross = kExplored.back();
  choose_head(report.page(), 1, cross);
  const std::vector<float> weights = true_weights(artifacts.maps, 1, cross);
  report->hover(map_cell(1, 2));
  CHECK(described(report.page()).starts_with("0 \u2192 +: "));
  CHECK_THAT(weight_in(described(report.page())), WithinAbs(weights[1 * 5 + 2], 0.0006));
  CHECK(
      report->evaluate("Array.from(document.querySelectorAll('.map .lit'), e => e.textContent)") ==
      Json::array({"+", "0"}));
  report->hover(map_cell(2, 4));
  CHECK(described(report.page()).starts_with("1 \u2192 8: "));
  CHECK_THAT(weight_in(described(report.page())), WithinAbs(weights[2 * 5 + 4], 0.0006));
  // Away from the map, it is the chosen cell again.
  report->hover(".page-header h1");
  CHECK(described(report.page()).starts_with("BOS \u2192 0: "));
  CHECK_THAT(weight_in(described(report.page())), WithinAbs(weights[0], 0.0006));
  // The last digit of the model's answer is wrong, and marked as wrong.
  CHECK(report->evaluate("document.querySelector('.answer').textContent") ==
        "The model answers 016, which is wrong; it is 015.");
  CHECK(report->evaluate("document.querySelector('.answer .tokens .wrong').textContent") == "6");
}

TEST_CASE("all heads are shown at once, and a click zooms in on one") {
  if (chromium_path().empty()) SKIP(kNoChromium);
  const ReportArtifacts artifacts = small_artifacts();
  OpenedReport report(artifacts);
  report->choose(kProblemChoice, "1");
  Json labels = Json::array();
  for (const ExploredHead& head : kExplored) labels.push_back(head.label);
  CHECK(report->evaluate("Array.from(document.querySelectorAll('.all-heads .head'), "
                         "e => e.getAttribute('aria-label'))") == labels);
  const ExploredHead& pruned = kExplored[3];
  const std::string small = fmt::format(".head[aria-label='{}']", pruned.label);
  // A pixel for each weight: as far as there is none, white covers the colour behind.
  const Json pixels = report->evaluate(fmt::format(
      R"js((() => {{
        const canvas = document.querySelector("{} canvas");
        const {{width, height}} = canvas;
        const data = canvas.getContext("2d").getImageData(0, 0, width, height).data;
        return Array.from(data).filter((_, i) => i % 4 === 3);
      }})())js",
      small));
  const std::vector<float> weights = true_weights(artifacts.maps, 1, pruned);
  REQUIRE(pixels.size() == weights.size());
  for (std::size_t i = 0; i < weights.size(); ++i) {
    CHECK_THAT(pixels[i].get<double>(), WithinAbs(255 * (1 - weights[i]), 1));
  }

  report->click(small);
  CHECK(map_title(report.page()) == pruned.label);
  CHECK(report->evaluate("Array.from(document.querySelectorAll('.choices select'), "
                         "e => e.selectedOptions[0].textContent)") ==
        Json::array({"17+08=025", "Encoder self", "L1", "H3"}));
  CHECK(report->evaluate("Array.from(document.querySelectorAll('.head[aria-pressed=true]'), "
                         "e => e.getAttribute('aria-label'))") == Json::array({pruned.label}));
  report.check_quiet();
}

TEST_CASE("the explorer can be used without a mouse") {
  if (chromium_path().empty()) SKIP(kNoChromium);
  OpenedReport report;
  const auto focused_cell = [&] {
    return report->evaluate(
        "[document.activeElement.dataset.query, document.activeElement.dataset.key]");
  };
  report->focus(kModule);
  report->press("ArrowDown");
  report->press("ArrowDown");
  CHECK(map_title(report.page()) == "Decoder Cross L0 H0");
  report->press("Tab");
  report->press("Tab");
  report->press("ArrowDown");
  CHECK(map_title(report.page()) == "Decoder Cross L0 H1");

  report->press("Tab");
  CHECK(focused_cell() == Json::array({"0", "0"}));
  for (const char* key : {"ArrowRight", "ArrowRight", "ArrowDown"}) report->press(key);
  CHECK(focused_cell() == Json::array({"1", "2"}));
  CHECK(described(report.page()).starts_with("0 \u2192 +: "));
  report->press("End");
  report->press("ArrowRight");  // already at the edge
  CHECK(focused_cell() == Json::array({"1", "4"}));
  report->press("Home");
  report->press("ArrowUp");
  report->press("ArrowUp");
  CHECK(focused_cell() == Json::array({"0", "0"}));
  // One cell is a stop of the Tab key: the next stop is the first of all heads.
  report->press("ArrowDown");
  report->press("Tab");
  CHECK(report->evaluate("document.activeElement.getAttribute('aria-label')") == "Encoder L0 H0");
  report->press("Enter");
  CHECK(map_title(report.page()) == "Encoder L0 H0");
  report->press("Shift+Tab");
  CHECK(focused_cell() == Json::array({"1", "0"}));
  report.check_quiet();
}

ReportArtifacts artifacts_with(const TensorFile& maps) {
  ReportArtifacts artifacts = small_artifacts();
  artifacts.maps = maps;
  return artifacts;
}

std::string answer_shown(Page& page) {
  return page.evaluate("document.querySelector('.explorer .answer').textContent");
}

TEST_CASE("of a classifier, the explorer shows the answer and the label") {
  if (chromium_path().empty()) SKIP(kNoChromium);
  TensorFile maps = words_maps("encoder.0.self", "inputs", {"a", "b"});
  maps.arrays["encoder.0.self"] = Array::of({2, 1, 2, 2}, std::vector<float>(8, 0.5F));
  maps.arrays["inputs"] = Array::of({2, 2}, std::vector<std::int32_t>{0, 1, 1, 0});
  maps.arrays["input_lengths"] = Array::of({2}, std::vector<std::int32_t>{2, 1});
  maps.metadata["problems"] = R"(["up: a b","down: b"])";
  maps.metadata["answers"] = R"(["up","up"])";
  maps.metadata["wanted"] = R"(["up","down"])";
  maps.metadata["confidences"] = "[0.625,1]";
  OpenedReport report(artifacts_with(maps));
  CHECK(answer_shown(report.page()) == "The model answers up (62.5 %), which is right.");
  report->choose(kProblemChoice, "1");
  CHECK(answer_shown(report.page()) ==
        "The model answers up (100.0 %), which is wrong; it is down.");
  // Padding is no token.
  CHECK(report->evaluate("document.querySelectorAll('.map td').length") == 1);
  report.check_quiet();
}

TEST_CASE("of a decoder alone, the explorer shows what it predicts next where it is asked") {
  if (chromium_path().empty()) SKIP(kNoChromium);
  TensorFile maps = words_maps("decoder.0.self", "decoder_inputs", {"x", "yes", "no", "z"});
  maps.arrays["next"] = Array::of({1, 4}, std::vector<std::int32_t>{-1, 2, 0, 1});
  maps.arrays["next_wanted"] = Array::of({1, 4}, std::vector<std::int32_t>{-1, 2, 3, 1});
  OpenedReport report(artifacts_with(maps));
  // It is asked for the third and the fourth token, and for the one after all that it reads.
  CHECK(answer_shown(report.page()) ==
        "The model predicts 2 of 3 tokens asked for: x yes no z yes");
  CHECK(report->evaluate("Array.from(document.querySelectorAll('.answer .wrong'), e => "
                         "[e.textContent, e.title])") ==
        Json::array({Json::array({"z", "predicted: x"})}));
  const auto prediction_after = [&](int query) {
    report->hover(map_cell(query, 0));
    return report->evaluate("document.querySelector('.description small').textContent")
        .get<std::string>();
  };
  CHECK(prediction_after(0) == "query 1 of 4, key 1 of 4");
  CHECK(prediction_after(1).ends_with("; after this query the model predicts no, which is right"));
  CHECK(prediction_after(2).ends_with(
      "; after this query the model predicts x, which is wrong: it is z"));
  CHECK(prediction_after(3).ends_with("; after this query the model predicts yes, which is right"));
  report.check_quiet();
}

TEST_CASE("without answers, the explorer says nothing about them") {
  if (chromium_path().empty()) SKIP(kNoChromium);
  OpenedReport report(artifacts_with(words_maps("encoder.0.self", "inputs", {"a", "b"})));
  CHECK(report->evaluate("document.querySelector('.explorer .answer').checkVisibility()") == false);
}

TEST_CASE("words of any length and language have room in the explorer") {
  if (chromium_path().empty()) SKIP(kNoChromium);
  const std::vector<std::string> words = {"the",
                                          " space",
                                          "",
                                          "\n",
                                          "extra" + std::string(80, 'o') + "rdinary",
                                          "<b>bold</b>",
                                          "\"'&amp;",
                                          "\u9577\u3044\u8a00\u8449",
                                          "\U0001F642",
                                          "\u05e9\u05dc\u05d5\u05dd",
                                          "\u202eturned"};
  OpenedReport report(artifacts_with(words_maps("encoder.0.self", "inputs", words)));
  CHECK(report->evaluate("Array.from(document.querySelectorAll('.map tbody th'), e => "
                         "e.textContent)") ==
        Json::array({words[0], "\u2423space", "\u2205", "\u23ce", words[4], words[5], words[6],
                     words[7], words[8], words[9], "\ufffdturned"}));
  report->hover(map_cell(9, 0));
  CHECK(described(report.page()).starts_with("\u2068" + words[9] + "\u2069 \u2192 the: "));
  report->hover(map_cell(5, 8));
  CHECK(described(report.page()).starts_with("<b>bold</b> \u2192 \U0001F642: "));
  for (const int width : {1280, 390}) {
    report->set_viewport(width, 900, /*is_phone=*/width < 500);
    CAPTURE(width);
    CHECK(report->evaluate("document.documentElement.scrollWidth").get<int>() <= width);
    // Cells are as wide as those of short words.
    CHECK(report->evaluate("document.querySelector('.map td').getBoundingClientRect().width")
              .get<double>() < 60);
  }
  report.check_quiet();
}

TEST_CASE("a map with too many cells for a table is a picture, with the same keys") {
  if (chromium_path().empty()) SKIP(kNoChromium);
  std::vector<std::string> words;
  for (int i = 0; i < 100; ++i) words.push_back(fmt::format("w{}", i));
  const TensorFile maps = words_maps("decoder.0.self", "decoder_inputs", words);
  const std::vector<float> weights = maps.at("decoder.0.self").floats();
  OpenedReport report(artifacts_with(maps));
  CHECK(report->evaluate("document.querySelectorAll('.map td').length") == 0);
  CHECK(report->evaluate("(canvas => [canvas.width, canvas.height])("
                         "document.querySelector('.large-map canvas'))") ==
        Json::array({100, 100}));
  report->hover_at(".large-map", 0.255, 0.505);
  CHECK(described(report.page()).starts_with("w50 \u2192 w25: "));
  CHECK_THAT(weight_in(described(report.page())), WithinAbs(weights[50 * 100 + 25], 0.0006));
  report->click_at(".large-map", 0.995, 0.505);
  report->press("ArrowRight");  // already at the edge
  report->press("ArrowDown");
  report->hover(".page-header h1");
  CHECK(described(report.page()).starts_with("w51 \u2192 w99: "));
  CHECK_THAT(weight_in(described(report.page())), WithinAbs(weights[51 * 100 + 99], 0.0006));
  report->press("Home");
  CHECK(described(report.page()).starts_with("w51 \u2192 w0: "));
  report.check_quiet();
}

}  // namespace
}  // namespace headway::browser
