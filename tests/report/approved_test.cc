// The reports of the two studies, made of small fixed artifacts (artifacts/), are approved: read
// the files in approved/ as a reader of a report would, sentence by sentence against the numbers.
// After an intended change, run with HEADWAY_APPROVE=1 and read the diff.
#include <fmt/format.h>

#include <catch2/catch_test_macros.hpp>
#include <cmath>
#include <cstdlib>
#include <regex>
#include <set>
#include <sstream>

#include "lib/base/error.h"
#include "lib/base/file_system.h"
#include "lib/report/report.h"

namespace headway::testing {
namespace {

const Path kReportTests = Path(HEADWAY_SOURCE_DIR) / "tests/report";

std::string text_of_file(const Path& file) {
  const std::optional<std::string> text = RealFileSystem().read(file);
  if (!text) throw Error("no such file: " + file.string());
  return *text;
}

// A page is long: where two differ for the first time says more than both.
std::string first_difference(const std::string& now, const std::string& approved) {
  std::istringstream these(now), those(approved);
  std::string this_line, that_line;
  for (int line = 1;; ++line) {
    const bool has_this = static_cast<bool>(std::getline(these, this_line));
    const bool has_that = static_cast<bool>(std::getline(those, that_line));
    if (!has_this && !has_that) return now == approved ? "" : "the last line end";
    if (!has_this || !has_that || this_line != that_line)
      return fmt::format("line {} is\n{}\nand was\n{}\n", line, has_this ? this_line : "no line",
                         has_that ? that_line : "no line");
  }
}

void check_approved_report(const std::string& name, const std::string& text) {
  const Path file = kReportTests / "approved" / name;
  if (std::getenv("HEADWAY_APPROVE")) RealFileSystem().write(file, text, Durability::kCached);
  INFO(file);
  CHECK(first_difference(text, RealFileSystem().read(file).value_or("nothing is approved")) == "");
}

// Attention of six heads on two problems, the first of which is among the failures.
std::string approved_maps() {
  const auto tokens = [](std::vector<std::int32_t> ids) {
    const auto length = static_cast<std::int64_t>(ids.size()) / 2;
    return Array::of({2, length}, std::span<const std::int32_t>(ids));
  };
  const auto weights = [](std::int64_t queries, std::int64_t keys) {
    std::vector<float> values;
    for (std::int64_t row = 0; row < 2 * 2 * queries; ++row) {  // problems, heads
      float rest = 1;
      for (std::int64_t key = 0; key < keys; ++key) {
        values.push_back(key + 1 == keys ? rest : rest / static_cast<float>(2 + row / queries));
        rest -= values.back();
      }
    }
    return Array::of({2, 2, queries, keys}, std::span<const float>(values));
  };
  TensorFile maps;
  maps.arrays["inputs"] = tokens({4, 7, 10, 6, 8, 1, 2, 10, 3, 4});
  maps.arrays["decoder_inputs"] = tokens({11, 1, 1, 11, 0, 4});
  maps.arrays["targets"] = tokens({1, 1, 5, 0, 4, 6});
  maps.arrays["predictions"] = tokens({1, 0, 5, 0, 4, 6});
  maps.arrays["encoder.0.self"] = weights(5, 5);
  maps.arrays["decoder.0.self"] = weights(3, 3);
  maps.arrays["decoder.0.cross"] = weights(3, 5);
  maps.metadata["problems"] = R"(["47+68=115","12+34=046"])";
  maps.metadata["heads"] =
      R"({"decoder.0.cross":[0,1],"decoder.0.self":[0,1],"encoder.0.self":[0,1]})";
  return to_safetensors(maps);
}

// Of positions only the products count here, and whether they are all the same.
std::string approved_positions(const std::string& stage) {
  constexpr std::int64_t kPositions = 64;
  const std::string encoding = stage == "alibi"       ? "alibi"
                               : stage == "untrained" ? "learned"
                                                      : stage.substr(stage.find('@') + 1);
  std::vector<float> gram;
  for (std::int64_t t = 0; t < kPositions; ++t) {
    for (std::int64_t s = 0; s < kPositions; ++s)
      gram.push_back(encoding == "none" ? 1.0F : 1.0F / static_cast<float>(1 + std::abs(t - s)));
  }
  TensorFile file;
  file.arrays["gram"] = Array::of({kPositions, kPositions}, std::span<const float>(gram));
  file.metadata = {{"encoding", encoding}, {"trained", "16"}};
  return to_safetensors(file);
}

std::string approved_artifact(const Path& folder, const std::string& stage,
                              const std::string& file) {
  if (file.ends_with(".svg")) return text_of_file(folder.parent_path() / "tiny.svg");
  if (file == "maps.safetensors") return approved_maps();
  if (file == "positions.safetensors") return approved_positions(stage);
  return text_of_file(folder / stage / file);
}

SourceFile approved_source(const Path& folder, const Provenance& provenance,
                           const std::string& origin, bool is_list) {
  const StageOrigin* stage = provenance.maker_of(origin);
  if (!stage) throw Error("no stage makes " + origin);
  const std::size_t at = stage->name.find('@');
  const std::string alone = is_list ? stage->name : "";
  for (const StageOrigin::Output& output : stage->outputs) {
    if (origin == stage->name + "." + output.name)
      return {at == std::string::npos ? alone : stage->name.substr(at + 1), origin, output.file,
              approved_artifact(folder, stage->name, output.file)};
  }
  throw Error("no such output: " + origin);
}

Report approved_report(const std::string& study) {
  const Path folder = kReportTests / "artifacts" / study;
  const Provenance provenance = parse_provenance(text_of_file(folder / "provenance.json"));
  Sources sources;
  for (const StageOrigin::Input& input : provenance.inputs) {
    std::vector<SourceFile> files;
    for (const std::string& origin : input.sources)
      files.push_back(approved_source(folder, provenance, origin, input.sources.size() > 1));
    sources.add(input.port, std::move(files));
  }
  const std::string name = "reports/" + study + ".md";
  const std::string text = text_of_file(Path(HEADWAY_SOURCE_DIR) / "pipelines" / name);
  return make_report(
      parse_template(text, name), sources, provenance,
      [](int token) { return token == 10   ? "+"
                             : token == 11 ? "BOS"
                                           : std::to_string(token); },
      std::filesystem::temp_directory_path());
}

// Restyling a page changes nothing that is approved. Data for scripts are no script.
std::string without_style_and_script(std::string html) {
  for (const std::string name : {"style", "script"}) {
    const std::string open = "<" + name + ">", close = "</" + name + ">";
    for (std::size_t begin = 0; (begin = html.find(open, begin)) != std::string::npos;) {
      const std::size_t end = html.find(close, begin);
      html.erase(begin, end - begin + close.size());
    }
  }
  return std::regex_replace(html, std::regex("'sha256-[^']*'"), "'sha256-of-the-script'");
}

std::string picture_list(const Report& report) {
  std::string list;
  for (const auto& [name, svg] : report.pictures) list += name + "\n";
  return list;
}

TEST_CASE("the reports of both studies are as approved", "[report]") {
  for (const std::string study : {"addition", "extrapolation"}) {
    const Report report = approved_report(study);
    check_approved_report(study + ".md", report.markdown);
    check_approved_report(study + ".html", without_style_and_script(report.html));
    check_approved_report(study + ".pictures.txt", picture_list(report));
  }
}

TEST_CASE("the same artifacts give the same report, byte for byte", "[report]") {
  for (const std::string study : {"addition", "extrapolation"}) {
    const Report first = approved_report(study), second = approved_report(study);
    CHECK(first.html == second.html);
    CHECK(first.markdown == second.markdown);
    CHECK(first.pictures == second.pictures);
  }
}

TEST_CASE("every picture that the Markdown shows is written beside it, once", "[report]") {
  for (const std::string study : {"addition", "extrapolation"}) {
    const Report report = approved_report(study);
    std::set<std::string> names;
    for (const auto& [name, svg] : report.pictures) {
      CHECK(names.insert(name).second);
      CHECK(report.markdown.find("](" + name + ")") != std::string::npos);
    }
  }
}

}  // namespace
}  // namespace headway::testing
