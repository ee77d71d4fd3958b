// The reports of the two studies, made from small fixed artifacts (artifacts/), are approved: read
// the files in approved/ as a reader of a report would, sentence by sentence against the numbers.
// After an intended change, run with HEADWAY_APPROVE=1 and read the diff.
#include <fmt/format.h>

#include <catch2/catch_test_macros.hpp>
#include <cstdlib>
#include <regex>
#include <set>
#include <sstream>

#include "lib/base/file_system.h"
#include "tests/support/study_report.h"

namespace headway::testing {
namespace {

const Path kReportTests = Path(HEADWAY_SOURCE_DIR) / "tests/report";

// A page is long: the first difference says more than both pages.
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

// Restyling a page does not affect approval. Data for scripts are not scripts.
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

TEST_CASE("the reports of both studies match the approved ones", "[report]") {
  for (const std::string study : {"addition", "extrapolation"}) {
    const Report report = study_report(study, study_inputs(study));
    check_approved_report(study + ".md", report.markdown);
    check_approved_report(study + ".html", without_style_and_script(report.html));
    check_approved_report(study + ".pictures.txt", picture_list(report));
  }
}

TEST_CASE("the same artifacts give the same report, byte for byte", "[report]") {
  for (const std::string study : {"addition", "extrapolation"}) {
    const Report first = study_report(study, study_inputs(study)),
                 second = study_report(study, study_inputs(study));
    CHECK(first.html == second.html);
    CHECK(first.markdown == second.markdown);
    CHECK(first.pictures == second.pictures);
  }
}

TEST_CASE("every picture shown in the Markdown is written beside it, once", "[report]") {
  for (const std::string study : {"addition", "extrapolation"}) {
    const Report report = study_report(study, study_inputs(study));
    std::set<std::string> names;
    for (const auto& [name, svg] : report.pictures) {
      CHECK(names.insert(name).second);
      CHECK(report.markdown.find("](" + name + ")") != std::string::npos);
    }
  }
}

}  // namespace
}  // namespace headway::testing
