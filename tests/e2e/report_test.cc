// `headway report` on the real program: the page, where it is, and the message if there is none.
#include <signal.h>

#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>
#include <optional>
#include <regex>

#include "tests/e2e/processes.h"
#include "tests/e2e/support.h"

namespace headway::e2e {
namespace {

using Catch::Matchers::ContainsSubstring;
using Catch::Matchers::StartsWith;

// x = 13 is unlucky. The report comes with stage_with_report().
constexpr const char* kReportable = R"(name: study
params: {x: 1}
stages:
  numbers:
    uses: shell
    outs: {t: t.csv, metrics: m.json, model: model.bin}
    with:
      run: |
        echo numbers ${x} >> ran.txt
        test ${x} != 13
        printf 'label,value\none,${x}\ntwo,2\n' > {out.t}
        echo '{"accuracy": 0.5}' > {out.metrics}
        head -c 100 /dev/zero > {out.model}
  picture:
    uses: shell
    outs: {svg: f.svg}
    with:
      run: |
        echo picture >> ran.txt
        echo '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 9 9"><rect width="5" height="5"/></svg>' > {out.svg}
  notes:
    uses: shell
    matrix: {i: [a, b]}
    in: {t: numbers.t}
    outs: {t: n.md}
    with: {run: "echo notes ${matrix.i} >> ran.txt; echo 'Note ${matrix.i}.' > {out.t}"}
)";

constexpr const char* kReportStage =
    "  report: {uses: report, in: {table: numbers.t, accuracy: numbers.metrics, picture: "
    "picture.svg, notes: \"notes@*.t\"}}\n";

constexpr const char* kReportVariations =
    "variants: {big: {x: 9}}\nsweeps: {s: {axes: {x: [1, 2]}}}\n";

struct Study : Sandbox {
  explicit Study(const std::string& report = kReportStage) { write_study(report); }
  void write_study(const std::string& report) const {
    write("p.yaml", kReportable + report + kReportVariations);
  }
  Outcome report(const Words& more = {}, const Surroundings& where = {}) const {
    Words words{"report", "p.yaml"};
    words.insert(words.end(), more.begin(), more.end());
    return headway(words, where);
  }
};

std::string last_line(const Outcome& outcome) {
  const Words all = lines(outcome.out);
  return all.empty() ? "" : all.back();
}

Words matches_in(const std::string& text, const std::string& pattern) {
  Words found;
  const std::regex expression(pattern);
  for (std::sregex_iterator match(text.begin(), text.end(), expression), end; match != end; ++match)
    found.push_back((*match)[1]);
  return found;
}

// What a browser would fetch.
Words fetches_of(const std::string& html) {
  Words found = matches_in(
      html, R"re(<(?:script|img|iframe|source|link)\b[^>]*\b(?:src|href)="(?!data:)([^"]*)")re");
  for (const std::string& url :
       matches_in(html, R"re((?:url\(|@import)\s*["']?((?:https?:)?//[^"')]*))re"))
    found.push_back(url);
  return found;
}

// The index page, and what it links to.
Words index_links(const Sandbox& sandbox) {
  return matches_in(sandbox.read("outputs/index.html"), R"re(<a href="\./([^"]*/index\.html)")re");
}

// The event of the stage `report` in what --json has printed so far.
std::optional<Json> event_of_report(const std::string& out, const std::string& name) {
  for (const std::string& line : lines(out)) {
    const Json event = Json::parse(line, nullptr, false);  // the last may not be whole
    if (event.is_object() && event.at("event") == name && event.at("stage") == "report")
      return event;
  }
  return std::nullopt;
}

TEST_CASE("report creates what is missing and ends with the path of the page") {
  const Study study;
  const Outcome outcome = study.report();
  INFO(outcome.all());
  REQUIRE(outcome.exit_code == 0);
  CHECK(outcome.err.empty());
  CHECK(last_line(outcome) == "outputs/study/report/index.html");
  CHECK(study.ran() == Words{"notes a", "notes b", "numbers 1", "picture"});
  const std::string page = study.read("outputs/study/report/index.html");
  CHECK_THAT(page, StartsWith("<!doctype html>") || StartsWith("<!DOCTYPE html>"));
  CHECK_THAT(page, ContainsSubstring("Note a.") && ContainsSubstring("<svg"));
}

TEST_CASE("the page is self-contained, and the Markdown file needs only the pictures beside it") {
  const Study study;
  REQUIRE(study.report().exit_code == 0);
  CHECK(fetches_of(study.read("outputs/study/report/index.html")) == Words{});
  const std::string markdown = study.read("outputs/study/report/REPORT.md");
  const Words pictures = matches_in(markdown, R"re(!\[[^\]]*\]\(([^)]*)\))re");
  CHECK(pictures == Words{"figures/picture.svg"});
  for (const std::string& picture : pictures)
    CHECK_THAT(study.read(Path("outputs/study/report") / picture), ContainsSubstring("<rect"));
}

TEST_CASE("a second report has nothing to do, and a forced one has the same bytes") {
  const Study study;
  REQUIRE(study.report().exit_code == 0);
  const auto before = study.contents("outputs/study/report");
  const Outcome again = study.report();
  CHECK_THAT(again.out, ContainsSubstring("nothing to do"));
  CHECK(last_line(again) == "outputs/study/report/index.html");
  const Outcome forced = study.headway({"run", "p.yaml", "--force", "report"});
  INFO(forced.all());
  CHECK_THAT(forced.out, ContainsSubstring("report: done"));
  CHECK(study.contents("outputs/study/report") == before);
}

TEST_CASE("a report stays fresh regardless of the current folder") {
  const Study study;
  REQUIRE(study.report().exit_code == 0);
  std::filesystem::create_directories(study.at("below"));
  std::filesystem::create_directory_symlink(study.folder(), study.folder().parent_path() / "link");
  const Path link = study.folder().parent_path() / "link";
  const Surroundings below{.env = {}, .folder = study.at("below")};
  const Surroundings linked{.env = {}, .folder = link};
  for (const Outcome& outcome :
       {study.headway({"report", "../p.yaml", "--outputs", "../outputs"}, below),
        study.headway({"run", "./below/../p.yaml"}), study.headway({"run", "p.yaml"}, linked),
        study.headway(
            {"run", (link / "p.yaml").string(), "--outputs", (link / "outputs").string()}),
        study.headway({"run", study.at("p.yaml").string()})}) {
    INFO(outcome.all());
    CHECK_THAT(outcome.out, ContainsSubstring("nothing to do"));
  }
}

TEST_CASE("a file without a report gets a default one showing everything, which a run keeps") {
  const Study study("");
  const Outcome outcome = study.report();
  INFO(outcome.all());
  REQUIRE(outcome.exit_code == 0);
  CHECK(last_line(outcome) == "outputs/study/report/index.html");
  const std::string markdown = study.read("outputs/study/report/REPORT.md");
  CHECK_THAT(markdown, ContainsSubstring("Note b.") && ContainsSubstring("figures/picture.svg") &&
                           ContainsSubstring("accuracy") && ContainsSubstring("| two | 2 |"));
  CHECK_THAT(markdown, !ContainsSubstring("model.bin"));

  CHECK(study.headway({"run", "p.yaml"}).exit_code == 0);
  CHECK(study.exists("outputs/study/report/index.html"));
  CHECK(study.headway({"gc"}).exit_code == 0);
  CHECK_THAT(study.report().out, ContainsSubstring("nothing to do"));
  // One that the file declares takes its place, even under another name.
  study.write_study("  summary: {uses: report, in: {table: numbers.t}}\n");
  CHECK(last_line(study.report()) == "outputs/study/summary/index.html");
  CHECK(study.headway({"run", "p.yaml"}).exit_code == 0);
  CHECK(!study.exists("outputs/study/report"));
  CHECK(study.exists("outputs/study/summary/index.html"));
}

TEST_CASE("what cannot be reported is a mistake in the file, reported before anything runs") {
  const Sandbox sandbox;
  sandbox.write(
      "p.yaml",
      "stages:\n"
      "  a: {uses: shell, outs: {t: t.bin}, with: {run: \"echo a >> ran.txt; : > {out.t}\"}}\n");
  const Outcome nothing = sandbox.headway({"report", "p.yaml"});
  CHECK(nothing.exit_code == 2);
  CHECK_THAT(nothing.err, ContainsSubstring("there is nothing to report"));
  sandbox.replace("p.yaml", "  a:", "  report:");
  const Outcome taken = sandbox.headway({"report", "p.yaml"});
  CHECK(taken.exit_code == 2);
  CHECK_THAT(taken.err, StartsWith("p.yaml:2:3: a stage is called 'report'"));
  CHECK(sandbox.ran().empty());
}

TEST_CASE("mistakes in a template are reported with line numbers, before anything runs") {
  const Study study("  report: {uses: report, in: {table: numbers.t}, with: {template: r.md}}\n");
  const Outcome missing = study.headway({"validate", "p.yaml"});
  CHECK(missing.exit_code == 2);
  CHECK_THAT(missing.err,
             ContainsSubstring("p.yaml:27:") && ContainsSubstring("no such file: r.md"));

  study.write("r.md", "# Title\n\n{{ figure nope }}\n\n{{ tabel table }}\n");
  for (const char* verb : {"validate", "run", "report"}) {
    const Outcome wrong = study.headway({verb, "p.yaml"});
    INFO(wrong.all());
    CHECK(wrong.exit_code == 2);
    CHECK_THAT(wrong.err, ContainsSubstring("r.md:3:1: ") && ContainsSubstring("'nope'"));
    CHECK_THAT(wrong.err, ContainsSubstring("r.md:5:1: "));
    for (const std::string& line : lines(wrong.err)) CHECK_THAT(line, StartsWith("p.yaml:27:"));
  }
  study.write("r.md", "# Title\n{{ table table\n");
  CHECK_THAT(study.headway({"validate", "p.yaml"}).err, ContainsSubstring("r.md:2:1: "));
  CHECK(study.ran().empty());
}

TEST_CASE("an edited template rebuilds only the report") {
  const Study study("  report: {uses: report, in: {table: numbers.t}, with: {template: r.md}}\n");
  study.write("r.md", "# First\n\n{{ table table }}\n");
  REQUIRE(study.report().exit_code == 0);
  CHECK(study.ran() == Words{"numbers 1"});
  study.write("r.md", "# Second\n\n{{ table table }}\n");
  const Outcome outcome = study.report();
  CHECK(outcome.exit_code == 0);
  CHECK_THAT(outcome.out, ContainsSubstring("report: started (file r.md changed)"));
  CHECK(study.ran().empty());
  CHECK_THAT(study.read("outputs/study/report/REPORT.md"), StartsWith("# Second\n"));
}

TEST_CASE("rerun stages rebuild the report, and 'why' explains it in words") {
  const Study study;
  REQUIRE(study.report().exit_code == 0);
  sleep_ms(1100);  // records have whole seconds
  REQUIRE(study.headway({"run", "p.yaml", "picture", "--force"}).exit_code == 0);
  CHECK_THAT(study.headway({"why", "p.yaml", "report"}).out,
             ContainsSubstring("stages it rests on were made anew") && !ContainsSubstring("list "));
  CHECK_THAT(study.headway({"status", "p.yaml"}).out,
             ContainsSubstring("stages it rests on were made anew"));
  CHECK_THAT(study.report().out, ContainsSubstring("report: done"));
}

TEST_CASE("variants and sweeps have their own reports, and the index page links to them") {
  const Study study("");
  CHECK(last_line(study.report()) == "outputs/study/report/index.html");
  CHECK(last_line(study.report({"--variant", "big"})) == "outputs/study/big/report/index.html");
  const Outcome swept = study.report({"--sweep", "s"});
  INFO(swept.all());
  CHECK(swept.exit_code == 0);
  CHECK(last_line(swept) == "outputs/study/s/report/index.html");
  CHECK_THAT(study.read("outputs/study/s/report/REPORT.md"),
             ContainsSubstring("x=2") || ContainsSubstring("| 2 |"));

  const Outcome all = study.headway({"report"});
  CHECK(all.exit_code == 0);
  CHECK(all.out == "outputs/index.html\n");
  const Words links = index_links(study);
  CHECK(links == Words{"study/report/index.html", "study/big/report/index.html",
                       "study/s/report/index.html"});
  for (const std::string& link : links) CHECK(study.exists(Path("outputs") / link));
  CHECK(fetches_of(study.read("outputs/index.html")) == Words{});
  CHECK_THAT(study.read("outputs/index.html"),
             ContainsSubstring("sweep") && ContainsSubstring("variant"));
  // Without a file: the pipeline that ran last with these outputs.
  CHECK(last_line(study.headway({"report", "--variant", "big"})) ==
        "outputs/study/big/report/index.html");
  CHECK(last_line(study.headway({"report", "--sweep", "s"})) ==
        "outputs/study/s/report/index.html");
}

TEST_CASE("gc keeps a sweep that was run only by its report") {
  const Study study("");
  REQUIRE(study.report({"--sweep", "s"}).exit_code == 0);
  study.ran();
  const Outcome gc = study.headway({"gc"});
  INFO(gc.all());
  CHECK_THAT(gc.all(), !ContainsSubstring("no such variant"));
  CHECK_THAT(study.report({"--sweep", "s"}).out, ContainsSubstring("nothing to do"));
  CHECK(study.headway({"sweep", "p.yaml", "s"}).exit_code == 0);
  for (const std::string& stage : study.ran()) CHECK_THAT(stage, !StartsWith("numbers"));
}

TEST_CASE("if the trials have their own report, the sweep's report gets another name") {
  const Study study;
  REQUIRE(study.headway({"sweep", "p.yaml", "s"}).exit_code == 0);
  CHECK(study.exists("outputs/study/s/x=2/report/index.html"));
  const Outcome outcome = study.report({"--sweep", "s"});
  INFO(outcome.all());
  CHECK(last_line(outcome) == "outputs/study/s/sweep-report/index.html");
  REQUIRE(study.headway({"sweep", "p.yaml", "s"}).exit_code == 0);
  CHECK(study.exists("outputs/study/s/sweep-report/index.html"));
}

TEST_CASE("a report does not start a large sweep unasked") {
  const Study study;
  study.replace("p.yaml", "x: [1, 2]}", "x: \"int:100..400:1\"}");
  const Outcome outcome = study.report({"--sweep", "s"});
  INFO(outcome.all());
  CHECK(outcome.exit_code == 2);
  CHECK_THAT(outcome.err,
             ContainsSubstring("301 trials") && ContainsSubstring("`headway sweep p.yaml s`"));
  CHECK(study.ran().empty());
}

TEST_CASE("a sweep with a failed trial gets its report, with exit code 1") {
  const Study study("");
  study.replace("p.yaml", "x: [1, 2]", "x: [1, 13]");
  for (int i = 0; i < 2; ++i) {
    const Outcome outcome = study.report({"--sweep", "s"});
    INFO(outcome.all());
    CHECK(outcome.exit_code == 1);
    CHECK(last_line(outcome) == "outputs/study/s/report/index.html");
    CHECK_THAT(outcome.all(), ContainsSubstring("numbers@x=13"));
    CHECK_THAT(outcome.err, !ContainsSubstring("earlier run"));
  }
}

TEST_CASE("a sweep's default report has a figure, and says what failed") {
  const Study study("");
  study.replace("p.yaml", "x: [1, 2]", "x: [1, 2, 13]");
  REQUIRE(study.report({"--sweep", "s"}).exit_code == 1);
  CHECK(study.exists("outputs/study/s/axes_figure/figure.svg"));
  const std::string text = study.read("outputs/study/s/report/REPORT.md");
  CHECK_THAT(text, ContainsSubstring("- 1 of 3 trials failed: `x=13` (`numbers`: exit code 1)."));
  CHECK_THAT(text, ContainsSubstring("axes_figure"));
  // A later sweep that makes more results sets both aside.
  study.headway({"sweep", "p.yaml", "s"});
  CHECK(study.exists("outputs/study/s/axes_figure.stale/figure.svg"));
  CHECK(study.exists("outputs/study/s/report.stale/index.html"));
}

TEST_CASE("a page that could not be rebuilt is not presented as new") {
  const Study study("");
  const std::string of_sweep =
      "s: {axes: {x: [1, 2]}, stages: {sum: {uses: shell, in: {t: trials.table}, outs: {t: "
      "sum.csv}, with: {run: \"cp {in.t} {out.t}\"}}}}";
  study.replace("p.yaml", "s: {axes: {x: [1, 2]}}", of_sweep);
  REQUIRE(study.report().exit_code == 0);
  REQUIRE(study.report({"--sweep", "s"}).exit_code == 0);

  study.replace("p.yaml", "cp {in.t} {out.t}", "exit 3; : {out.t}");
  const Outcome swept = study.report({"--sweep", "s"});
  INFO(swept.all());
  CHECK(swept.exit_code == 1);
  CHECK_THAT(swept.out, !ContainsSubstring("index.html"));
  CHECK(swept.err == "headway: outputs/study/s/report.stale/index.html is of an earlier run\n");

  study.replace("p.yaml", "test ${x} != 13", "test ${x} != 1");
  const std::string before = study.read("outputs/study/report/index.html");
  const Outcome plain = study.report({"--open"}, {.env = {{"BROWSER", "/nowhere"}}, .folder = {}});
  INFO(plain.all());
  CHECK(plain.exit_code == 1);
  CHECK_THAT(plain.out, ContainsSubstring("stage 'numbers' failed") &&
                            ContainsSubstring("report: skipped, because numbers failed"));
  CHECK(last_line(plain) == "outputs/study/report/index.html");
  CHECK(study.read("outputs/study/report/index.html") != before);
  CHECK_THAT(study.read("outputs/study/report/REPORT.md"),
             ContainsSubstring("- numbers failed: exit code 1\n"));
}

TEST_CASE("the default report of a pipeline with a failed stage shows the rest and names it") {
  const Sandbox sandbox;
  sandbox.write("p.yaml", R"(
stages:
  good: {uses: shell, outs: {metrics: m.json}, with: {run: "echo '{\"n\": 41}' > {out.metrics}"}}
  bad: {uses: shell, outs: {t: t.txt}, with: {run: "exit 3; : {out.t}"}}
  after: {uses: shell, in: {x: bad}, outs: {t: t.txt}, with: {run: "cat {in.x} > {out.t}"}}
)");
  const Outcome outcome = sandbox.headway({"report", "p.yaml"});
  INFO(outcome.all());
  CHECK(outcome.exit_code == 1);
  CHECK(last_line(outcome) == "outputs/p/report/index.html");
  const std::string text = sandbox.read("outputs/p/report/REPORT.md");
  CHECK_THAT(text, ContainsSubstring("- bad failed: exit code 3\n- after did not run\n") &&
                       ContainsSubstring("## good\n") && ContainsSubstring("| n | 41 |"));
  sandbox.replace("p.yaml", "exit 3; : {out.t}", "echo 3 > {out.t}");
  CHECK(sandbox.headway({"report", "p.yaml"}).exit_code == 0);
  CHECK_THAT(sandbox.read("outputs/p/report/REPORT.md"), !ContainsSubstring("Not all stages"));
}

TEST_CASE("the default report names stages that it does not read, and expectations that warn") {
  const Sandbox sandbox;
  sandbox.write("p.yaml", R"(
stages:
  good:
    uses: shell
    outs: {metrics: m.json}
    with: {run: "echo '{\"n\": 41}' > {out.metrics}"}
    expect: {n: {warn: "> 50"}}
  bad: {uses: shell, outs: {t: t.bin}, with: {run: "exit 3; : {out.t}"}}
)");
  const Outcome first = sandbox.headway({"report", "p.yaml"});
  INFO(first.all());
  CHECK(first.exit_code == 0);
  CHECK(last_line(first) == "outputs/p/report/index.html");
  CHECK_THAT(sandbox.read("outputs/p/report/REPORT.md"),
             ContainsSubstring("- bad did not run\n") &&
                 ContainsSubstring("- good: expected n \\> 50, got 41\n"));
  CHECK(sandbox.headway({"run", "p.yaml"}).exit_code == 1);
  CHECK(sandbox.headway({"report", "p.yaml"}).exit_code == 0);
  CHECK_THAT(sandbox.read("outputs/p/report/REPORT.md"),
             ContainsSubstring("- bad failed: exit code 3\n"));
  sandbox.replace("p.yaml", "exit 3; : {out.t}", "echo 3 > {out.t}");
  sandbox.replace("p.yaml", "> 50", "> 40");
  CHECK(sandbox.headway({"run", "p.yaml"}).exit_code == 0);
  CHECK(sandbox.headway({"report", "p.yaml"}).exit_code == 0);
  CHECK_THAT(sandbox.read("outputs/p/report/REPORT.md"),
             !ContainsSubstring("Not all stages") && !ContainsSubstring("only warn"));
}

TEST_CASE("a report of a variation names it below its title") {
  const Study study;
  REQUIRE(study.report({"--set", "x=7"}).exit_code == 0);
  CHECK_THAT(study.read("outputs/study/x=7/report/REPORT.md"),
             StartsWith("# study\n\nOf the variation `x=7`.\n"));
  REQUIRE(study.report().exit_code == 0);
  CHECK_THAT(study.read("outputs/study/report/REPORT.md"), !ContainsSubstring("Of the variation"));
}

TEST_CASE("report --open opens the page in $BROWSER, and says what to do if it cannot") {
  const Study study;
  const Outcome made = study.sh(
      "printf '#!/bin/sh\\nprintf \"%%s\" \"$1\" > \"$(dirname \"$0\")/opened\"\\n' > good; "
      "printf '#!/bin/sh\\nexit 3\\n' > bad; chmod +x good bad");
  REQUIRE(made.exit_code == 0);
  const Outcome opened =
      study.report({"--open"}, {.env = {{"BROWSER", study.at("good").string()}}, .folder = {}});
  INFO(opened.all());
  CHECK(opened.exit_code == 0);
  CHECK(eventually([&] { return !study.read("opened").empty(); }));
  CHECK(study.read("opened") == study.at("outputs/study/report/index.html").string());

  for (const std::string& browser : {study.at("bad").string(), std::string("/no/such/browser")}) {
    std::string err;
    // A browser that has not failed within two seconds counts as started: on a busy machine it may
    // not have begun by then.
    for (int tries = 0; tries < 6 && err.empty(); ++tries) {
      const Outcome outcome =
          study.report({"--open"}, {.env = {{"BROWSER", browser}}, .folder = {}});
      CHECK(outcome.exit_code == 0);  // the report is there
      CHECK(last_line(outcome) == "outputs/study/report/index.html");
      err = outcome.err;
    }
    CHECK_THAT(err, ContainsSubstring(browser + " cannot open the page") &&
                        ContainsSubstring("outputs/study/report/index.html"));
  }
  // Neither set nor installed.
  const Outcome none = study.report({"--open"}, {.env = {{"PATH", "/nowhere"}}, .folder = {}});
  CHECK(none.exit_code == 0);
  CHECK_THAT(none.err, ContainsSubstring("xdg-open cannot open the page; set BROWSER"));
}

TEST_CASE("with --json, the last event is the page") {
  const Study study;
  for (const Words& words : {Words{"report", "p.yaml", "--json"}, Words{"report", "--json"}}) {
    const Outcome outcome = study.headway(words);
    REQUIRE(outcome.exit_code == 0);
    const Json last = events(outcome.out).back();
    CHECK(last.at("event") == "report");
    CHECK(std::filesystem::exists(last.at("page").get<std::string>()));
  }
  study.replace("p.yaml", "test ${x} != 13", "test ${x} != 1");
  const Outcome failed = study.report({"--json"});
  CHECK(failed.exit_code == 1);
  CHECK(events(failed.out).back().at("event") == "run-finished");
}

TEST_CASE("names and contents that look like code are shown as text") {
  const Sandbox sandbox("it's \"here\" <script>alert(0)<b>");
  const std::string file = "it's \"p\" <script>alert(1)<b>.yaml";
  sandbox.write(file, R"yaml(name: p
stages:
  one:
    uses: shell
    matrix: {i: ["<script>alert(2)", "it's \"b\""]
}
    outs: {t: t.csv}
    with: {run: "printf 'a,<script>alert(3)</script>\\n1,\"</td><script>alert(4)</script>\"\\n' > {out.t}"}
  text: {uses: shell, outs: {t: t.md}, with: {run: "echo '<script>alert(5)</script> [x](javascript:alert(6))' > {out.t}"}}
)yaml");
  const Outcome outcome = sandbox.headway({"report", file});
  INFO(outcome.all());
  REQUIRE(outcome.exit_code == 0);
  for (const char* name : {"outputs/p/report/index.html", "outputs/index.html"}) {
    const std::string page = sandbox.read(name);
    REQUIRE(!page.empty());
    CHECK_THAT(page, !ContainsSubstring("<script>alert"));
    CHECK_THAT(page, !ContainsSubstring("href=\"javascript:"));
  }
  CHECK_THAT(sandbox.read("outputs/p/report/index.html"),
             ContainsSubstring("&lt;script&gt;alert(4)"));
  for (const std::string& link : index_links(sandbox))
    CHECK(sandbox.exists(Path("outputs") / link));
  CHECK_THAT(sandbox.headway({"report", "./" + file}).out, ContainsSubstring("nothing to do"));
}

TEST_CASE("an artifact that cannot be shown is named, and nothing is lost") {
  const Sandbox sandbox;
  const std::string yaml =
      "stages:\n"
      "  a: {uses: shell, outs: {svg: f.svg, dir: dir, bin: b.bin, t: t.csv}, with: {run: "
      "\"echo a >> "
      "ran.txt; echo '<svg no' > {out.svg}; mkdir {out.dir}; printf '\\\\0\\\\377\\\\1' > "
      "{out.bin}; "
      "echo a,b > {out.t}\"}}\n"
      "  report: {uses: report, in: {it: a.t}}\n";
  sandbox.write("p.yaml", yaml);
  sandbox.write("r.md", "# R\n\n{{ figure it }}\n");
  // It was not named on the command line: it is shown in its usual place.
  sandbox.replace("p.yaml", "it: a.t", "it: a.svg");
  REQUIRE(sandbox.headway({"report", "p.yaml"}).exit_code == 0);
  const std::string before = sandbox.read("outputs/p/report/index.html");
  CHECK_THAT(before, ContainsSubstring("<code>a.svg</code>, 8 B, cannot be shown: a.svg: no SVG"));

  sandbox.replace("p.yaml", "it: a.svg}", "it: a.svg}, with: {template: r.md}");
  const Outcome picture = sandbox.headway({"report", "p.yaml"});
  INFO(picture.all());
  CHECK(picture.exit_code == 1);
  CHECK_THAT(picture.out, ContainsSubstring("stage 'report' failed: r.md:3:1: a.svg: no SVG"));
  CHECK(sandbox.read("outputs/p/report.stale/index.html") == before);
  CHECK_FALSE(sandbox.exists("outputs/p/report/index.html"));
  sandbox.replace("p.yaml", ", with: {template: r.md}", "");
  sandbox.replace("p.yaml", "it: a.svg", "it: a.dir");
  const Outcome folder = sandbox.headway({"report", "p.yaml"});
  INFO(folder.all());
  CHECK(folder.exit_code == 1);
  CHECK_THAT(folder.out, ContainsSubstring("input 'it' (a.dir): a file is expected, not a folder"));
  CHECK(sandbox.read("outputs/p/report.stale/index.html") == before);
  CHECK_FALSE(sandbox.exists("outputs/p/report/index.html"));

  sandbox.replace("p.yaml", "it: a.dir", "it: a.bin");
  REQUIRE(sandbox.headway({"report", "p.yaml"}).exit_code == 0);
  CHECK_THAT(sandbox.read("outputs/p/report/REPORT.md"), ContainsSubstring("`b.bin`, 3 B"));
  CHECK(sandbox.ran() == Words{"a"});
}

TEST_CASE("all rows of a table of 2,000 are shown, if the template asks for the table") {
  const Sandbox sandbox;
  sandbox.write(
      "p.yaml",
      "stages:\n  a: {uses: shell, outs: {t: t.csv}, with: {run: \"echo name,n > {out.t}; seq "
      "2000 | sed 's/.*/row-&,&/' >> {out.t}\"}}\n"
      "  report: {uses: report, in: {t: a}, with: {template: r.md}}\n");
  sandbox.write("r.md", "# R\n\n{{ table t }}\n");
  REQUIRE(sandbox.headway({"report", "p.yaml"}).exit_code == 0);
  const std::string page = sandbox.read("outputs/p/report/index.html");
  CHECK_THAT(page, ContainsSubstring("row-1<") && ContainsSubstring("row-1999<") &&
                       ContainsSubstring("row-2000<"));
}

TEST_CASE("a stage named trials does not turn a pipeline into a sweep") {
  const Sandbox sandbox;
  sandbox.write("p.yaml",
                "stages:\n  trials: {uses: shell, outs: {t: t.csv}, with: {run: \"printf "
                "'a,b\\\\n1,2\\\\n' > {out.t}\"}}\n");
  const Outcome outcome = sandbox.headway({"report", "p.yaml"});
  INFO(outcome.all());
  CHECK(outcome.exit_code == 0);
  CHECK_THAT(sandbox.read("outputs/p/report/REPORT.md"), StartsWith("# p\n"));
}

TEST_CASE("a report that was killed while being made is the same the next time") {
  const Study study;
  // A table that takes longer than it takes to notice that the report has started.
  study.replace("p.yaml", "two,2\\n' > {out.t}",
                "two,2\\n' > {out.t}; seq 20000 | sed 's/.*/row-&,&/' >> {out.t}");
  const Outcome first = study.report({"--json"});
  REQUIRE(first.exit_code == 0);
  const double milliseconds =
      1000 * event_of_report(first.out, "stage-finished").value().at("seconds").get<double>();
  const auto expected = study.contents("outputs/study/report");
  int cut_short = 0;
  for (int i = 0; i < 12 || (cut_short == 0 && i < 100); ++i) {
    REQUIRE(study.sh("grep -l '\"stage\": \"report\"' -r outputs/.headway/records | xargs rm")
                .exit_code == 0);
    const auto run = study.start({"report", "p.yaml", "--json"});
    REQUIRE(eventually(
        [&] { return event_of_report(run->out_so_far(), "stage-started").has_value(); }));
    sleep_ms(milliseconds * (i % 12) / 8);  // the last ones may come after its end
    // The engine makes the report; without the guardian it would end it first.
    if (const pid_t engine = engine_of(study, run->pid())) ::kill(engine, SIGKILL);
    const Outcome killed = run->wait();
    cut_short += !event_of_report(killed.out, "stage-finished").has_value();
    const Outcome again = study.report();
    INFO(again.all());
    CHECK(again.exit_code == 0);
    CHECK(last_line(again) == "outputs/study/report/index.html");
    CHECK((study.contents("outputs/study/report") == expected));  // too long to be printed
  }
  CHECK(cut_short > 0);
  CHECK(study.headway({"verify"}).exit_code == 0);
}

TEST_CASE("run and sweep keep the index page up to date if there are reports") {
  const Study study("");
  REQUIRE(study.headway({"run", "p.yaml"}).exit_code == 0);
  CHECK(!study.exists("outputs/index.html"));
  study.write_study(kReportStage);
  REQUIRE(study.headway({"run", "p.yaml"}).exit_code == 0);
  CHECK(index_links(study) == Words{"study/report/index.html"});
  REQUIRE(study.headway({"run", "p.yaml", "--variant", "big", "--quiet"}).exit_code == 0);
  CHECK(index_links(study) == Words{"study/report/index.html", "study/big/report/index.html"});

  study.replace(
      "p.yaml", "s: {axes: {x: [1, 2]}}",
      "s: {axes: {x: [1, 2]}, stages: {summary: {uses: report, in: {trials: trials.table, "
      "comparison: trials.comparison}}}}");
  const Outcome swept = study.headway({"sweep", "p.yaml", "s"});
  INFO(swept.all());
  REQUIRE(swept.exit_code == 0);
  CHECK(index_links(study) == Words{"study/report/index.html", "study/big/report/index.html",
                                    "study/s/summary/index.html"});
  // Also to show what failed.
  study.replace("p.yaml", "test ${x} != 13", "test ${x} != 1");
  CHECK(study.headway({"run", "p.yaml"}).exit_code == 1);
  CHECK_THAT(study.read("outputs/index.html"), ContainsSubstring("class=\"failed\">failed"));
}

TEST_CASE("an index page that cannot be written does not fail the run") {
  const Study study;
  study.write("outputs/index.html/in-the-way", "");
  for (const Words& words :
       {Words{"run", "p.yaml"}, Words{"sweep", "p.yaml", "s"}, Words{"report", "p.yaml"}}) {
    const Outcome outcome = study.headway(words);
    INFO(outcome.all());
    CHECK(outcome.exit_code == 0);
    CHECK_THAT(outcome.err, ContainsSubstring("outputs/index.html is not up to date: "));
  }
  CHECK(study.headway({"report"}).exit_code == 1);
}

}  // namespace
}  // namespace headway::e2e
