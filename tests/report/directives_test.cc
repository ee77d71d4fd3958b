// Messages about mistakes in directives, their results, and that no text from an artifact or a name
// becomes markup.
#include "lib/report/directives.h"

#include <fmt/format.h>

#include <catch2/catch_test_macros.hpp>
#include <pugixml.hpp>
#include <set>

#include "lib/base/error.h"
#include "lib/report/evaluator.h"
#include "lib/report/report.h"

namespace headway::testing {
namespace {

constexpr const char* kSmallSvg =
    "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 10 10\"><path id=\"p\" "
    "d=\"M0 0L9 9\"/></svg>";

std::string maps_of_one_head() {
  const auto tokens = [](std::vector<std::int32_t> ids) {
    return Array::of({1, static_cast<std::int64_t>(ids.size())},
                     std::span<const std::int32_t>(ids));
  };
  const std::vector<float> weights = {0.5F, 0.5F, 0.25F, 0.75F};
  TensorFile maps;
  for (const char* name : {"inputs", "decoder_inputs", "targets", "predictions"})
    maps.arrays[name] = tokens({1, 2});
  maps.arrays["encoder.0.self"] = Array::of({1, 1, 2, 2}, std::span<const float>(weights));
  maps.metadata["problems"] = R"(["1+2=3"])";
  maps.metadata["heads"] = R"({"encoder.0.self":[0]})";
  return to_safetensors(maps);
}

Sources directive_sources() {
  Sources sources;
  sources.add("evaluation",
              {{"", "evaluate.metrics", "metrics.json",
                R"({"greedy": 0.9995, "problems": 810000, "seconds": 65, "name": "a*b"})"}});
  sources.add("heads", {{"", "ablate.table", "heads.csv",
                         "label,drop,share\nEncoder H0,67.6,0.5\nDecoder H1,1,0.25\nC,0,1\n"}});
  sources.add("curve", {{"", "curve.svg", "figure.svg", kSmallSvg}});
  sources.add("curves", {{"zero", "plot@zero.svg", "figure.svg", kSmallSvg},
                         {"mean_1", "plot@mean_1.svg", "figure.svg", kSmallSvg}});
  sources.add("notes", {{"", "notes.text", "notes.txt", "plain\n"}});
  sources.add("maps", {{"", "attention.maps", "maps.safetensors", maps_of_one_head()}});
  return sources;
}

StageOrigin stage_with(const std::string& name, const Json& params) {
  StageOrigin stage;
  stage.name = name;
  stage.family = name.substr(0, name.find('@'));
  stage.type = "type";
  stage.params = params;
  stage.key = "0123456789abcdef";
  stage.command = "headway run p.yaml " + name;
  return stage;
}

Provenance directive_provenance() {
  Provenance provenance;
  provenance.pipeline = "a*study";
  provenance.file = "p.yaml";
  provenance.stage = "report";
  provenance.has_times = false;
  provenance.stages = {
      stage_with("data", {{"seed", 641}, {"lengths", {8, 16}}}),
      stage_with("train@a", {{"encoding", "alibi"}, {"epochs", 8}, {"model", {{"d_model", 32}}}}),
      stage_with("train@b", {{"encoding", "none"}, {"epochs", 8}, {"model", {{"d_model", 64}}}})};
  return provenance;
}

Report report_of(const std::string& text, const Sources& sources = directive_sources()) {
  return make_report(parse_template(text, "t.md"), sources, directive_provenance(),
                     std::filesystem::temp_directory_path());
}

// Without the title above and the provenance below.
std::string markdown_of(const std::string& text, const Sources& sources = directive_sources()) {
  const std::string markdown = report_of(text, sources).markdown;
  const std::size_t begin = markdown.find("\n\n") + 2, end = markdown.find("## Where this comes");
  return markdown.substr(begin, end - begin);
}

std::string body_of(const std::string& text, const Sources& sources = directive_sources()) {
  const std::string html = report_of(text, sources).html;
  const std::size_t begin = html.find("<main"), end = html.find("<h2 id=\"where-this-comes-from\"");
  return html.substr(begin, end - begin);
}

std::string report_mistake(const std::string& text, const Sources& sources = directive_sources()) {
  try {
    report_of(text, sources);
    return "";
  } catch (const Error& error) {
    return error.what();
  }
}

bool contains(const std::string& text, const std::string& part) {
  UNSCOPED_INFO(text);
  return text.find(part) != std::string::npos;
}

const std::string kInputs = "connected: evaluation, heads, curve, curves, notes, maps";

TEST_CASE("a nonexistent directive or input is reported, with a suggestion", "[report]") {
  CHECK(report_mistake("{{ figrue curve }}\n") ==
        "t.md:1:1: 'figrue' is neither a directive nor a value of a connected input; did you mean "
        "'figure'?");
  CHECK(report_mistake("\nOf {{ evaluaton.greedy }}.\n") ==
        "t.md:2:4: 'evaluaton.greedy' is neither a directive nor a value of a connected input; did "
        "you mean 'evaluation'?");
  CHECK(report_mistake("{{ figure hedas }}\n") ==
        "t.md:1:1: 'figure' names the input 'hedas', which is not connected; " + kInputs +
            "; did you mean 'heads'?");
  CHECK(report_mistake("{{ cell nothing label }}\n") ==
        "t.md:1:1: 'cell' names the input 'nothing', which is not connected; " + kInputs);
  CHECK(report_mistake("{{ evaluation }}\n") ==
        "t.md:1:1: 'evaluation' is an input: which of its values? write INPUT.NAME");
}

TEST_CASE("words, options, formats and captions that a directive does not take are reported",
          "[report]") {
  CHECK(report_mistake("{{ figure }}\n") == "t.md:1:1: 'figure' expects 1 word, got 0");
  CHECK(report_mistake("{{ all heads }}\n") == "t.md:1:1: 'all' expects no words, got 1");
  CHECK(report_mistake("{{ cell heads }}\n") == "t.md:1:1: 'cell' expects 2 or 3 words, got 1");
  CHECK(report_mistake("{{ table heads colums=label }}\n") ==
        "t.md:1:1: 'table' has no option 'colums'; did you mean 'columns'?");
  CHECK(report_mistake("{{ table heads rows=-1 }}\n") ==
        "t.md:1:1: 'table' rows expects a whole number, got '-1'");
  CHECK(report_mistake("{{ cell heads drop row=two }}\n") ==
        "t.md:1:1: 'cell' row expects a whole number, got 'two'");
  CHECK(report_mistake("{{ evaluation.greedy percents }}\n") ==
        "t.md:1:1: 'evaluation.greedy' has no format 'percents'; there are percent, points, count, "
        "seconds, decimal, p, code");
  CHECK(report_mistake("{{ cell heads drop dollars }}\n") ==
        "t.md:1:1: 'cell' has no format 'dollars'; there are percent, points, count, seconds, "
        "decimal, p, code");
  CHECK(report_mistake("{{ evaluation.greedy percent count }}\n") ==
        "t.md:1:1: 'evaluation.greedy' takes one format, and nothing else");
  CHECK(report_mistake("{{ text notes \"A caption.\" }}\n") == "t.md:1:1: 'text' takes no caption");
}

TEST_CASE("a block inside a text is reported", "[report]") {
  CHECK(report_mistake("See {{ figure curve }}.\n") ==
        "t.md:1:5: 'figure' stands alone on its line, not inside a text");
  CHECK(markdown_of("See {{ if curve }}that{{ end }}.\n") == "See that.\n\n");
}

TEST_CASE("all mistakes not hidden by a condition are reported at once", "[report]") {
  CHECK(report_mistake(
            "{{ nothing }}\n{{ if none }}\n{{ figure none }}\n{{ end }}\n{{ figure }}\n") ==
        "t.md:1:1: 'nothing' is neither a directive nor a value of a connected input\n"
        "t.md:5:1: 'figure' expects 1 word, got 0");
}

TEST_CASE("a problem with an artifact is reported with the template's line", "[report]") {
  CHECK(contains(report_mistake("# T\n\n{{ table heads columns=lable }}\n"),
                 "t.md:3:1: ablate.table: no column 'lable'"));
  CHECK(report_mistake("{{ figure heads }}\n").starts_with("t.md:1:1: ablate.table"));
  CHECK(report_mistake("{{ explorer heads }}\n").starts_with("t.md:1:1: ablate.table"));
  CHECK(report_mistake("{{ evaluation.gready }}\n")
            .starts_with("t.md:1:1: evaluate.metrics has no number 'gready'; it has greedy, "));
  CHECK(report_mistake("A {{ heads.drop }}.\n") ==
        "t.md:1:3: ablate.table is a table, of which 'drop' is a column: name a row, as in "
        "first(…).drop");
  CHECK(report_mistake("{{ cell heads drop row=4 }}\n") ==
        "t.md:1:1: input 'heads' has 3 rows, and no row 4");
  CHECK(report_mistake("{{ cell heads drop row=0 }}\n") ==
        "t.md:1:1: input 'heads' has 3 rows, and no row 0");
  CHECK(report_mistake("{{ cell heads label points }}\n").starts_with("t.md:1:1: "));
  CHECK(
      report_mistake("{{ parameter trian.epochs }}\n") ==
      "t.md:1:1: 'trian.epochs' is neither a parameter that the stages use nor STAGE.PARAMETER of "
      "a stage that the report rests on");
  CHECK(report_mistake("{{ parameter train.epoch }}\n") ==
        "t.md:1:1: stage 'train' has no parameter 'epoch'");
  CHECK(report_mistake("{{ explorer curves }}\n") ==
        "t.md:1:1: input 'curves': one artifact is expected here, not 2");
  CHECK(report_mistake("One.\n\n{{ all }}\nTwo $\\wrong{$.\n").starts_with("t.md:4:1: "));
}

TEST_CASE("values are written in the requested format", "[report]") {
  CHECK(markdown_of("Right in {{ evaluation.greedy percent }} of {{ evaluation.problems count }} "
                    "({{ evaluation.greedy }}) within {{ evaluation.seconds seconds }}.\n") ==
        "Right in 99.95 % of 810,000 (0.9995) within 1 min 05 s.\n\n");
  CHECK(markdown_of("{{ cell heads label }}: {{ cell heads drop points }}, {{ cell heads share "
                    "percent row=2 }}, {{ cell heads drop row=2 }}.\n") ==
        "Encoder H0: 67.6 points, 25 %, 1.\n\n");
  CHECK(markdown_of("{{ evaluation.name }} in {{ pipeline }}\n") == "a\\*b in a\\*study\n\n");
}

TEST_CASE("an artifact of the wrong kind is reported by what is expected, not by a parse error",
          "[report]") {
  CHECK(report_mistake("{{ figure heads }}\n").ends_with(": a figure is an SVG"));
  CHECK(report_mistake("{{ table curve }}\n").ends_with(": a table is a CSV, or metrics in JSON"));
  CHECK(report_mistake("{{ explorer heads }}\n").ends_with(": the explorer takes attention maps"));
  CHECK(report_mistake("Of {{ cell evaluation greedy }}.\n").ends_with(": a cell is one of a CSV"));
}

TEST_CASE("an invalid formula is reported before there are artifacts", "[report]") {
  Diagnostics diagnostics;
  check_directives(parse_template("# T\n\nBecause $\\nope{x}$.\n", "t.md"), {}, diagnostics);
  CHECK(diagnostics.text().starts_with("t.md:3:1: "));
}

TEST_CASE("a pipeline parameter shows the values that stages used", "[report]") {
  Provenance provenance = directive_provenance();
  provenance.stages[0].references = {{"slope", "2"}};
  provenance.stages[1].references = {{"slope", "3"}};
  provenance.stages[2].references = {{"slope", "2"}};
  const Report report =
      make_report(parse_template("{{ parameter slope }}\n", "t.md"), directive_sources(),
                  provenance, std::filesystem::temp_directory_path());
  CHECK(contains(report.markdown, "\n2, 3\n"));
  CHECK(contains(report.markdown, "| the pipeline | slope | 2 and 3 |"));
  std::string mistake;
  try {
    make_report(parse_template("{{ parameter slop }}\n", "t.md"), directive_sources(), provenance,
                std::filesystem::temp_directory_path());
  } catch (const Error& error) {
    mistake = error.what();
  }
  CHECK(mistake.ends_with("that the report rests on; did you mean 'slope'?"));
}

TEST_CASE("parameters are those of a stage, or of all items of a matrix without duplicates",
          "[report]") {
  CHECK(markdown_of("{{ parameter data.seed }}; {{ parameter data.lengths }}; {{ parameter "
                    "train.epochs }}; {{ parameter train.encoding }}; {{ parameter "
                    "train@b.model.d_model }}; {{ parameter train.model.d_model }}\n") ==
        "641; \\[8, 16\\]; 8; alibi, none; 64; 32, 64\n\n");
}

TEST_CASE("a figure is shown with its caption and its origin", "[report]") {
  const Report report = report_of("{{ figure curve \"How *it* went.\" }}\n");
  CHECK(contains(report.markdown, "![How it went.](figures/curve.svg)\n\nHow *it* went.\n"));
  CHECK(contains(report.html, "<figure class=\"figure\" id=\"figure.curve\">"));
  CHECK(contains(report.html, "How <em>it</em> went."));
  REQUIRE(report.pictures.size() == 1);
  CHECK(report.pictures[0].first == "figures/curve.svg");
  CHECK(report.pictures[0].second == kSmallSvg);
  CHECK(contains(markdown_of("{{ figure curve }}\n"), "![curve](figures/curve.svg)\n\ncurve\n"));
}

TEST_CASE("every figure of a list is shown, with the item in its caption", "[report]") {
  const Report report = report_of("{{ figure curves \"A curve.\" }}\n");
  CHECK(contains(report.markdown, "![A curve. (zero)](figures/curves-zero.svg)"));
  CHECK(contains(report.markdown, "![A curve. (mean_1)](figures/curves-mean-1.svg)"));
  CHECK(report.pictures.size() == 2);
}

TEST_CASE("a table is made from CSV or JSON, with the requested columns and rows", "[report]") {
  const std::string asked =
      "{{ table heads columns=share,label percent=share rows=2 \"Heads.\" }}\n";
  CHECK(markdown_of(asked).starts_with(
      "| share | label |\n| ---: | --- |\n| 50 % | Encoder H0 |\n| 25 % | Decoder H1 |\n"
      "| 100 % | C |\n\nHeads.\n"));
  CHECK(contains(body_of(asked), " data-rows=\"2\""));
  CHECK(contains(body_of("{{ table heads }}\n"), "<figure class=\"table\" id=\"table.heads\">"));
  CHECK(markdown_of("{{ table evaluation }}\n")
            .starts_with("| metric | value |\n| --- | --- |\n| greedy | 0.9995 |\n"
                         "| name | a\\*b |\n"));
}

TEST_CASE("the explorer's data is in the page", "[report]") {
  const std::string body = body_of("{{ explorer maps }}\n");
  CHECK(contains(body, "<section class=\"explorer\" id=\"explorer.maps\""));
  CHECK(contains(body, "\"1+2=3\""));
}

TEST_CASE("text is shown verbatim, and Markdown as Markdown", "[report]") {
  Sources sources;
  sources.add("log", {{"", "train.log", "log.txt", "# no *heading*\n{{ all }}\n```\nin it"}});
  sources.add("words", {{"", "tell.words", "words.md", "### A *heading*\n"}});
  sources.add("nothing", {{"", "make.nothing", "nothing.txt", ""}});
  CHECK(markdown_of("{{ text log }}\n", sources) ==
        "````text\n# no *heading*\n{{ all }}\n```\nin it\n````\n\n");
  CHECK(contains(body_of("{{ text log }}\n", sources),
                 "# no *heading*\n{{ all }}\n```\nin it\n</code>"));
  CHECK(contains(body_of("{{ text words }}\n", sources), "A <em>heading</em></h3>"));
  CHECK(markdown_of("{{ text nothing }}\n", sources) == "`make.nothing` is empty.\n\n");
}

TEST_CASE("of a long text, table or value, a report shows only the beginning and says so",
          "[report]") {
  const std::string line(99, 'x');
  std::string text;
  for (int i = 0; i < 2000; ++i) text += line + "\n";
  Sources sources;
  sources.add("log", {{"", "run.log", "log.txt", text}});
  sources.add("metrics", {{"", "run.metrics", "m.json", Json({{"text", text}}).dump()}});
  const Provenance provenance;
  Directives directives(sources, provenance);
  const auto block = [&](const std::string& name, const std::string& word) {
    return directives.block({name, {word}, {}, "", {}}).at(0).markdown;
  };
  const std::string shown = block("text", "log");
  CHECK(contains(shown, line + "\n```\n\nThese are the first 100.0 kB of 200.0 kB.\n"));
  CHECK(shown.size() < 101'000);
  CHECK(contains(block("table", "metrics"), "… (200,000 characters)"));
  CHECK(block("table", "metrics").size() < 2000);
  Evaluator evaluator(sources, nullptr);
  CHECK(contains(evaluator.text(ExpressionReader("metrics.text").expression(), ""),
                 "… (200,000 characters)"));
}

TEST_CASE("hostile texts, tables and Markdown stay text", "[report]") {
  const std::string hostile = "</code></pre><script>alert(1)</script>\n````\n<img src=x onerror=y>";
  Sources sources;
  sources.add("text", {{"", "s.text", "t.txt", hostile}});
  sources.add("words", {{"", "s.words", "t.md", hostile + "\n\n[x](javascript:alert(1))\n"}});
  sources.add("table", {{"", "s.table", "t.csv", "a\n\"" + hostile + "\"\n"}});
  const std::string body = body_of(
      "{{ text text }}\n{{ text words }}\n{{ table table }}\n{{ cell table a }}\n", sources);
  for (const char* markup : {"<script>", "<img", "href=\"javascript"})
    CHECK(!contains(body, markup));
  CHECK(contains(body, "&lt;script&gt;alert(1)&lt;/script&gt;"));
}

TEST_CASE("all shows everything not shown above it, each in its own form", "[report]") {
  Sources sources = directive_sources();
  sources.add("model", {{"", "train.model", "model.bin", std::string(2048, 'x')}});
  sources.add("words", {{"", "tell.words", "words.md", "Some *words*.\n"}});
  const std::string body = body_of("{{ figure curve }}\n\n{{ all }}\n", sources);
  for (const char* id : {"table.evaluation", "table.heads", "figure.curve", "figure.curves-zero",
                         "figure.curves-mean-1", "explorer.maps"})
    CHECK(contains(body, fmt::format("id=\"{}\"", id)));
  CHECK_FALSE(contains(body, "figure.curve-2"));
  CHECK(contains(body, "plain\n</code>"));
  CHECK(contains(body, "<p>model: <code>model.bin</code>, 2.0 kB.</p>"));
  CHECK(contains(body, "Some <em>words</em>."));
  CHECK(contains(markdown_of("{{ all }}\n{{ all }}\n", sources), "model: `model.bin`, 2.0 kB.\n"));
}

TEST_CASE("all can have a heading for each stage, with its metrics first", "[report]") {
  Sources sources;
  sources.add("walk-t", {{"", "walk.t", "t.csv", "a,b\n1,2\n"}});
  sources.add("fit-log", {{"one", "fit@one.log", "log.txt", "hello\n"},
                          {"two", "fit@two.log", "log.txt", "hello\n"}});
  sources.add("fit-metrics", {{"one", "fit@one.metrics", "m.json", R"({"loss": 0.5, "n": 3})"},
                              {"two", "fit@two.metrics", "m.json", R"({"loss": 0.25})"}});
  sources.add("walk-metrics", {{"", "walk.metrics", "m.json", R"({"steps": 7})"}});
  const std::string text = markdown_of("{{ all headings=2 }}\n", sources);
  const auto place = [&](const char* part) {
    INFO(text << part);
    REQUIRE(contains(text, part));
    return text.find(part);
  };
  CHECK(place("## walk\n") < place("| steps | 7 |"));
  CHECK(place("| steps | 7 |") < place("| a | b |"));
  CHECK(place("| a | b |") < place("## fit\n"));
  CHECK(place("## fit\n") < place("| item | loss | n |"));
  CHECK(place("| one | 0.5 | 3 |\n| two | 0.25 |  |\n") < place("hello"));
}

TEST_CASE("all keeps metrics of a matrix apart that do not fit side by side", "[report]") {
  Sources sources;
  std::string many = "{\"m0\": 0";
  for (int i = 1; i < 9; ++i) many += fmt::format(", \"m{}\": {}", i, i);
  many += "}";
  sources.add("m", {{"one", "fit@one.metrics", "m.json", many},
                    {"two", "fit@two.metrics", "m.json", "not JSON"}});
  const std::string text = markdown_of("{{ all headings=3 }}\n", sources);
  CHECK(contains(text, "### fit\n"));
  CHECK(contains(text, "| m8 | 8 |"));
  CHECK(contains(text, "cannot be shown: fit@two.metrics: not JSON"));
}

TEST_CASE("all cuts long tables and texts", "[report]") {
  Sources sources;
  std::string rows = "n\n", lines;
  for (int i = 1; i <= 300; ++i)
    rows += fmt::format("{}\n", i), lines += fmt::format("line {}\n", i);
  sources.add("t", {{"", "a.t", "t.csv", rows}});
  sources.add("l", {{"", "a.l", "l.txt", lines}});
  const std::string text = markdown_of("{{ all }}\n", sources);
  CHECK(contains(text, "| 20 |\n\nThese are the first 20 of 300 rows."));
  CHECK(contains(text, "line 40\n```\n\nThese are the first "));
  CHECK(contains(body_of("{{ all }}\n", sources), "These are the first 200 of 300 rows."));
}

TEST_CASE("an input of which only values were shown is still part of all", "[report]") {
  CHECK(contains(body_of("{{ evaluation.greedy }}\n\n{{ all }}\n"), "id=\"table.evaluation\""));
}

std::vector<std::string> ids_in(const std::string& html) {
  std::vector<std::string> ids;
  const std::string location = " id=\"";
  for (std::size_t at = html.find(location); at != std::string::npos;
       at = html.find(location, at + 1)) {
    const std::size_t begin = at + location.size();
    ids.push_back(html.substr(begin, html.find('"', begin) - begin));
  }
  return ids;
}

TEST_CASE("no two ids of a page are equal, whatever headings and inputs are called", "[report]") {
  Sources sources;
  const std::string svg =
      "<svg xmlns=\"http://www.w3.org/2000/svg\"><path id=\"b-c\"/><path id=\"c\"/></svg>";
  sources.add("a", {{"", "a.svg", "a.svg", svg}, {"b", "a@b.svg", "a.svg", svg}});
  sources.add("a-b", {{"", "a-b.svg", "a.svg", svg}});
  sources.add("a_b", {{"", "a_b.svg", "a.svg", svg}});
  sources.add("t", {{"", "t.table", "t.csv", "x\n1\n"}});
  const std::string text =
      "# T\n\n## figure a\n\n## figure.a\n\n## figure-a-b\n\n## figure_2Ea_b-c\n\n## table-t\n\n"
      "## table-t\n\n## Main\n\n## page.main\n\n## Stage data\n\n"
      "{{ figure a }}\n{{ figure a }}\n{{ figure a-b }}\n{{ figure a_b }}\n{{ table t }}\n"
      "{{ table t }}\n";
  const Report report = report_of(text, sources);
  std::set<std::string> seen, pictures;
  for (const std::string& id : ids_in(report.html)) {
    INFO(id);
    CHECK(seen.insert(id).second);
  }
  CHECK(seen.contains("figure-a"));
  CHECK(seen.contains("figure.a"));
  CHECK(seen.contains("figure.a-b-4"));
  for (const auto& [name, bytes] : report.pictures) CHECK(pictures.insert(name).second);
  CHECK(pictures.size() == 6);
}

TEST_CASE("a report without a title is named after its pipeline", "[report]") {
  const Report report = report_of("Text.\n");
  CHECK(report.markdown.starts_with("# a\\*study\n\nText.\n"));
  CHECK(contains(report.html, "<h1>a*study</h1>"));
}

const std::string kHostileName = "</title></script><script>alert('x')</script><img src=x>\"'&|`*\n";

Provenance hostile_provenance() {
  Provenance provenance;
  provenance.pipeline = provenance.variant = provenance.file = provenance.stage = kHostileName;
  StageOrigin stage = stage_with(kHostileName, {{kHostileName, kHostileName}});
  stage.type = stage.key = stage.command = stage.run = stage.headway = kHostileName;
  stage.inputs = {{kHostileName, {kHostileName + "." + kHostileName}}};
  stage.outputs = {{kHostileName, kHostileName, kHostileName, 1}};
  stage.machine = {{"cpu", kHostileName}, {"system", kHostileName}, {"libtorch", kHostileName}};
  stage.seconds = 1;
  provenance.stages = {stage};
  provenance.inputs = {{kHostileName, {kHostileName + "." + kHostileName}}};
  return provenance;
}

Sources hostile_sources() {
  const std::string origin = kHostileName + "." + kHostileName;
  const Json metrics = {{kHostileName, kHostileName}, {"text", kHostileName}};
  const std::string cell = "\"</td><script>x</script><img src=x>\"\"'&|`*\"";
  std::string maps = maps_of_one_head();
  TensorFile tensors = parse_safetensors(maps, "maps");
  tensors.metadata["problems"] = Json::array({kHostileName}).dump();
  tensors.metadata["tokens"] = Json::array({kHostileName, kHostileName, kHostileName}).dump();
  Sources sources;
  sources.add("figure", {{kHostileName, origin, kHostileName + ".svg", kSmallSvg},
                         {"", origin, kHostileName + ".svg", kSmallSvg}});
  sources.add("table", {{kHostileName, origin, kHostileName + ".csv", cell + "\n" + cell + "\n"},
                        {"", origin, kHostileName + ".json", metrics.dump()}});
  sources.add("values", {{"", origin, "m.json", metrics.dump()}});
  sources.add("maps", {{kHostileName, origin, "maps.safetensors", to_safetensors(tensors)}});
  sources.add(kHostileName, {{kHostileName, origin, kHostileName, kHostileName},
                             {kHostileName, origin, "t.md", kHostileName},
                             {kHostileName, origin, "t.txt", kHostileName},
                             {kHostileName, origin, "t.csv", cell + "\n" + cell + "\n"}});
  return sources;
}

// The page between <body> and </body>, with what HTML leaves open closed as XML wants it.
std::string body_as_xml(const std::string& html) {
  const std::size_t begin = html.find("<body>");
  std::string xml = html.substr(begin, html.find("</body>") + 7 - begin);
  for (const std::string open : {"<br>", "<wbr>", "<hr>", " hidden>"}) {
    for (std::size_t at = 0; (at = xml.find(open, at)) != std::string::npos; at += open.size())
      xml.replace(at, open.size(),
                  open == " hidden>" ? " hidden=\"\">" : open.substr(0, open.size() - 1) + "/>");
  }
  return xml;
}

struct MarkupFinder : pugi::xml_tree_walker {
  bool for_each(pugi::xml_node& node) override {
    const std::string name = node.name();
    const bool is_data = node.attribute("type").as_string() == std::string("application/json");
    // A figure is an image whose data is in the page.
    const bool is_figure =
        name == "img" &&
        std::string_view(node.attribute("src").as_string()).starts_with("data:image/svg+xml,");
    if ((name == "img" && !is_figure) || (name == "script" && !is_data)) found += name + " ";
    for (const pugi::xml_attribute attribute : node.attributes()) {
      if (std::string_view(attribute.name()).starts_with("on")) found += attribute.name();
    }
    return true;
  }
  std::string found;
};

TEST_CASE("a report full of hostile names contains no markup from them", "[report]") {
  const std::string text =
      "{{ figure figure \"</figcaption><script>x</script>\" }}\n{{ table table \"<img src=x>\" }}\n"
      "{{ explorer maps }}\n{{ values.text }} {{ pipeline }}\n\n{{ all }}\n";
  ReportTemplate parsed = parse_template(text, kHostileName);
  parsed.title = kHostileName;
  const Provenance provenance = hostile_provenance();
  const Report report =
      make_report(parsed, hostile_sources(), provenance, std::filesystem::temp_directory_path());
  pugi::xml_document body;
  const pugi::xml_parse_result result = body.load_string(body_as_xml(report.html).c_str());
  INFO(result.description());
  REQUIRE(result);
  MarkupFinder finder;
  body.traverse(finder);
  CHECK(finder.found.empty());
  const std::string head = report.html.substr(0, report.html.find("<style>"));
  CHECK_FALSE(contains(head, "<script"));
  CHECK_FALSE(contains(head, "<img"));
  for (const auto& [name, svg] : report.pictures) {
    CHECK(name.starts_with("figures/"));
    CHECK(name.find_first_not_of("abcdefghijklmnopqrstuvwxyz0123456789-", 8) == name.size() - 4);
  }
}

}  // namespace
}  // namespace headway::testing
