// The provenance written by the engine, read and shown: with times and without, and with names that
// look like markup.
#include "lib/report/provenance.h"

#include <fmt/format.h>

#include <catch2/catch_test_macros.hpp>
#include <cstdlib>
#include <pugixml.hpp>
#include <set>

#include "lib/base/error.h"
#include "lib/report/provenance_pieces.h"

namespace headway::testing {
namespace {

Piece graph_of(const Provenance& provenance) {
  return graph_piece(provenance, std::filesystem::temp_directory_path());
}

const std::string kHostile = "</summary><script>alert(\"1\")</script>'&\n```|x";

bool says(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

std::size_t times_said(const std::string& text, const std::string& part) {
  std::size_t count = 0;
  for (std::size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1))
    ++count;
  return count;
}

Json origin_json(const std::string& name, const std::vector<std::string>& sources) {
  return {
      {"name", name},
      {"family", name.substr(0, name.find('@'))},
      {"type", "ablate-model"},
      {"version", 2},
      {"params", {{"mode", "zero"}, {"seed", 641}, {"model", {{"d_model", 128}}}}},
      {"inputs", {{{"port", "model"}, {"sources", sources}}}},
      {"outputs", {{{"name", "table"}, {"file", "heads.csv"}, {"digest", "00ff"}, {"size", 2688}}}},
      {"key", "3f2a90c1aaaa"},
      {"command", "headway run p.yaml " + name},
      {"seconds", 1.25},
      {"cpu_seconds", 2.5},
      {"peak_memory", 123456789},
      {"finished", 1794830490},
      {"run", "first"},
      {"headway", "0.1.0"},
      {"machine", {{"cpu", "A CPU"}, {"cores", 2}, {"system", "Debian"}, {"libtorch", "1.13"}}},
      {"numerics", "AMD x86-64-v3 (AVX2, FMA)"}};
}

// data -> ablate@zero, ablate@mean -> importance -> report; importance was made last.
Json provenance_json() {
  Json importance = origin_json("importance", {"ablate@zero.table", "ablate@mean.table"});
  importance["run"] = "second";
  importance["finished"] = 1794834090;
  importance["seconds"] = 3;
  Json mean = origin_json("ablate@mean", {"data.table"});
  mean["params"]["mode"] = "mean";
  return {{"pipeline", "addition"},
          {"variant", ""},
          {"file", "pipelines/addition.yaml"},
          {"report", "report"},
          {"has_times", true},
          {"stages",
           {origin_json("data", {}), origin_json("ablate@zero", {"data.table"}), mean, importance}},
          {"inputs", {{{"port", "importance"}, {"sources", {"importance.table"}}}}}};
}

Provenance example_provenance() {
  return parse_provenance(provenance_json().dump());
}

std::string refusal_of(const Json& json) {
  try {
    parse_provenance(json.dump());
  } catch (const Error& error) {
    return error.what();
  }
  return "";
}

std::string all_html(const Provenance& provenance) {
  return graph_of(provenance).html + stages_piece(provenance).html +
         parameters_piece(provenance).html + origin_line(provenance, "importance.table").html;
}

std::string all_markdown(const Provenance& provenance) {
  return graph_of(provenance).markdown + stages_piece(provenance).markdown +
         parameters_piece(provenance).markdown + environment_piece(provenance).markdown +
         origin_line(provenance, "importance.table").markdown;
}

// One element, in which <br> and <wbr>, which HTML does not close, are closed.
std::string as_xml(const std::string& html) {
  std::string xml = "<page>";
  for (std::size_t i = 0; i < html.size(); ++i) {
    const bool is_open = html[i] == '>' && std::string_view(html).substr(0, i).ends_with("br");
    xml += is_open ? "/>" : std::string(1, html[i]);
  }
  return xml + "</page>";
}

TEST_CASE("provenance is read as the engine writes it", "[report]") {
  const Provenance provenance = example_provenance();
  CHECK(provenance.pipeline == "addition");
  CHECK(provenance.stage == "report");
  REQUIRE(provenance.stages.size() == 4);
  const StageOrigin& stage = provenance.stages[1];
  CHECK(stage.name == "ablate@zero");
  CHECK(stage.family == "ablate");
  CHECK(stage.version == 2);
  CHECK(stage.inputs.at(0).sources == std::vector<std::string>{"data.table"});
  CHECK(stage.outputs.at(0).size == 2688);
  CHECK(stage.seconds == 1.25);
  CHECK(stage.finished == 1794830490);
  CHECK(stage.machine["cores"] == 2);
  CHECK(stage.numerics == "AMD x86-64-v3 (AVX2, FMA)");
}

TEST_CASE("every missing or mistyped part of a provenance is an error with its path", "[report]") {
  CHECK_THROWS_AS(parse_provenance("{"), Error);
  CHECK_THROWS_AS(parse_provenance("[]"), Error);
  CHECK_THROWS_AS(parse_provenance(""), Error);
  const Json whole = provenance_json(), stage = origin_json("x", {});
  for (const auto& [key, value] : whole.items()) {
    for (const Json& wrong : {Json(), Json(7), Json({{"a", 1}})}) {
      Json json = provenance_json();
      json[key] = wrong;
      INFO(key << " = " << wrong);
      CHECK(says(refusal_of(json), key));
    }
  }
  for (const auto& [key, value] : stage.items()) {
    Json json = provenance_json();
    json["stages"][2][key] = Json::array({-1});
    INFO(key);
    const bool is_list = key == "inputs" || key == "outputs";
    CHECK(says(refusal_of(json), fmt::format("stages[2].{}{}", key, is_list ? "[0]" : "")));
  }
  for (const char* key :
       {"name", "family", "type", "version", "params", "inputs", "outputs", "key", "command"}) {
    Json json = provenance_json();
    json["stages"][0].erase(key);
    CHECK(says(refusal_of(json), fmt::format("stages[0].{}:", key)));
  }
}

TEST_CASE("impossible numbers in a provenance are errors", "[report]") {
  const auto refuses = [](const char* key, const Json& value) {
    Json json = provenance_json();
    json["stages"][0][key] = value;
    return says(refusal_of(json), fmt::format("stages[0].{}", key));
  };
  CHECK(refuses("version", -1));
  CHECK(refuses("version", 3000000000));
  CHECK(refuses("seconds", -0.5));
  CHECK(refuses("peak_memory", 1.5));
  CHECK(refuses("finished", -1));
  CHECK(refuses("finished", 18446744073709551615ULL));
  CHECK(refuses("key", "../etc"));
  CHECK(refuses("key", ""));
  CHECK(refuses("command", 3));
}

TEST_CASE("two stages of the same name are an error", "[report]") {
  Json json = provenance_json();
  json["stages"].push_back(json["stages"][0]);
  CHECK(refusal_of(json) == "provenance: two stages are called 'data'");
}

TEST_CASE("what an older version did not record stays empty", "[report]") {
  Json json = provenance_json();
  for (const char* key : {"run", "headway", "machine", "numerics", "cpu_seconds", "peak_memory"})
    json["stages"][0].erase(key);
  const Provenance provenance = parse_provenance(json.dump());
  CHECK(provenance.stages[0].machine.is_null());
  CHECK(provenance.stages[0].numerics.empty());
  CHECK(says(environment_piece(provenance).markdown, "A CPU"));
  CHECK(says(stages_piece(provenance).html, "stage.data"));
}

TEST_CASE("the producer of an output is found even if items have dots in their names", "[report]") {
  Json json = provenance_json();
  json["stages"].push_back(origin_json("lr@0", {}));
  json["stages"].push_back(origin_json("lr@0.1", {}));
  const Provenance provenance = parse_provenance(json.dump());
  CHECK(provenance.maker_of("lr@0.1.table")->name == "lr@0.1");
  CHECK(provenance.maker_of("lr@0.table")->name == "lr@0");
  CHECK(provenance.maker_of("data")->name == "data");
  CHECK(provenance.maker_of("dat.table") == nullptr);
  CHECK(provenance.maker_of("") == nullptr);
  CHECK(provenance.maker_of(".table") == nullptr);
}

TEST_CASE("results of the newest run are marked as made, the rest as from the cache", "[report]") {
  const Provenance provenance = example_provenance();
  CHECK(is_from_cache(provenance, *provenance.find("data")));
  CHECK_FALSE(is_from_cache(provenance, *provenance.find("importance")));
  const std::string html = stages_piece(provenance).html;
  CHECK(times_said(html, "<span class=\"hit\">from cache</span>") == 4);  // one for both items
  CHECK(times_said(html, "<span class=\"made\">made</span>") == 1);
}

TEST_CASE("items of a matrix form one family, and a single stage has its own name", "[report]") {
  const Provenance provenance = example_provenance();
  const std::vector<StageFamily> families = families_of(provenance);
  REQUIRE(families.size() == 3);
  CHECK(families[1].name == "ablate");
  CHECK(families[1].members.size() == 2);
  CHECK(family_anchor(families[0]) == stage_anchor("data"));
  Json json = provenance_json();
  json["stages"].erase(2);
  CHECK(families_of(parse_provenance(json.dump()))[1].name == "ablate@zero");
}

TEST_CASE("different stages have different anchors, safe in ids and links", "[report]") {
  CHECK(stage_anchor("ablate@zero") == "stage.ablate@zero");
  std::set<std::string> anchors;
  const std::vector<std::string> names = {"a-b",   "a@b",  "a.b", "a b", "a~b",
                                          "a~20b", "a\"b", "a'b", "a<b", "a%b",
                                          "a&b",   "a#b",  "A-b", "",    kHostile};
  for (const std::string& name : names) {
    const std::string anchor = stage_anchor(name);
    CHECK(anchor.find_first_of("\"'<>&#% \n") == std::string::npos);
    anchors.insert(anchor);
  }
  CHECK(anchors.size() == names.size());
}

TEST_CASE("the graph has a box for each family that links to its entry, and draws each arrow once",
          "[report]") {
  const std::string html = graph_of(example_provenance()).html;
  pugi::xml_document picture;
  REQUIRE(picture.load_string(html.c_str()));
  CHECK(picture.select_nodes("//rect").size() == 4);  // data, ablate, importance, report
  CHECK(picture.select_nodes("//path[@class='arrow']").size() == 3);
  CHECK(says(html, "<a href=\"#family.ablate\">"));
  CHECK(says(html, "<a href=\"#stage.importance\">"));
  CHECK(says(html, "ablate-model × 2"));
  CHECK(says(html, "2.5 s"));  // both items together
  CHECK(times_said(html, "class=\"node hit\"") == 2);
  CHECK(times_said(html, "class=\"node made\"") == 1);
  CHECK(html == graph_of(example_provenance()).html);
}

TEST_CASE("every link in graph and entries leads to an existing, unique id", "[report]") {
  const std::string html = all_html(example_provenance());
  pugi::xml_document page;
  REQUIRE(page.load_string(as_xml(html).c_str()));
  std::multiset<std::string> ids;
  for (const auto& found : page.select_nodes("//*[@id]"))
    ids.insert(found.node().attribute("id").value());
  for (const std::string& id : ids) CHECK(ids.count(id) == 1);
  std::size_t links = 0;
  for (const auto& found : page.select_nodes("//a")) {
    CHECK(ids.count(std::string(found.node().attribute("href").value()).substr(1)) == 1);
    ++links;
  }
  CHECK(links > 5);
}

TEST_CASE("in Markdown the graph is a mermaid graph", "[report]") {
  const std::string markdown = graph_of(example_provenance()).markdown;
  CHECK(markdown.starts_with(
      "```mermaid\nflowchart LR\n  n0[\"data<br/>ablate-model<br/>1.2 s\"]\n"));
  CHECK(says(markdown, "  n0 --> n1\n"));
  CHECK(says(markdown, "  n1 --> n2\n"));
  CHECK(says(markdown, "  n2 --> n3\n"));
}

TEST_CASE("no name can break out of a label of the mermaid graph", "[report]") {
  Json json = provenance_json();
  json["stages"][0]["name"] = json["stages"][0]["family"] = "```\"]\n#<b>;";
  const std::string markdown = graph_of(parse_provenance(json.dump())).markdown;
  CHECK(says(markdown, "  n0[\"#96;#96;#96;#34;#93;#92;n#35;#60;b#62;#59;<br/>"));
}

TEST_CASE("without dot, the graph says which package is missing", "[report]") {
  const std::string path = std::getenv("PATH");
  ::setenv("PATH", "/nowhere", 1);
  std::string message;
  try {
    graph_of(example_provenance());
  } catch (const Error& error) {
    message = error.what();
  }
  ::setenv("PATH", path.c_str(), 1);
  CHECK(says(message, "apt install graphviz"));
}

TEST_CASE("a stage's entry has its command, key, inputs, outputs, times and all parameters",
          "[report]") {
  const std::string html = stages_piece(example_provenance()).html;
  CHECK(says(html, "<details class=\"stage\" id=\"stage.ablate@mean\">"));
  CHECK(says(html, "<code>headway run p.yaml ablate@mean</code>"));
  CHECK(says(html, "<code>3f2a90c1aaaa</code>"));
  CHECK(says(html, "model = <a href=\"#stage.data\">data</a>.table"));
  CHECK(says(html, "table: heads.csv, 2.7 kB, <code title=\"SHA-256 00ff\">00ff</code>"));
  CHECK(says(html, "model.d_model = <code>128</code>"));
  CHECK(says(html, "1.2 s (2.5 s of processor time), at most 123.5 MB of memory"));
  CHECK(says(html, "2026-11-16 12:01 UTC"));
  CHECK(says(html, "A CPU, 2 cores, Debian, LibTorch 1.13"));
  CHECK(says(html, "<dt>numerics</dt><dd>AMD x86-64-v3 (AVX2, FMA)</dd>"));
}

TEST_CASE("items that share a value share a row in the parameter table, and seeds are marked",
          "[report]") {
  const std::string markdown = parameters_piece(example_provenance()).markdown;
  CHECK(says(markdown, "| ablate (2 items) | model.d_model | 128 |"));
  CHECK(says(markdown, "| ablate@zero | mode | zero |"));
  CHECK(says(markdown, "| ablate@mean | mode | mean |"));
  CHECK(says(markdown, "| data | seed | 641 | seed |"));
}

TEST_CASE("parameters without a value are left out, and long ones are truncated", "[report]") {
  Json json = provenance_json();
  json["stages"][0]["params"] = {{"nothing", nullptr},
                                 {"empty", ""},
                                 {"none", Json::array()},
                                 {"map", Json::object()},
                                 {"zero", 0},
                                 {"off", false},
                                 {"long", std::string(5000, 'x')}};
  const StageOrigin stage = parse_provenance(json.dump()).stages[0];
  std::vector<std::string> names;
  for (const FlatParameter& parameter : parameters_of(stage)) names.push_back(parameter.name);
  CHECK(names == std::vector<std::string>{"long", "off", "zero"});
  const std::string markdown = parameters_piece(parse_provenance(json.dump())).markdown;
  CHECK(says(markdown, "x… (5,000 characters)"));
  CHECK_FALSE(says(markdown, std::string(200, 'x')));
}

TEST_CASE("the environment is described in a few lines, in UTC", "[report]") {
  const std::string text = environment_piece(example_provenance()).markdown;
  CHECK(says(text, "Pipeline addition, from `pipelines/addition.yaml`: 4 stages."));
  CHECK(says(text, "Headway 0.1.0."));
  CHECK(says(text, "Machine: A CPU, 2 cores, Debian, LibTorch 1.13."));
  CHECK(says(text,
             "between 2026-11-16 12:01 UTC and 2026-11-16 13:01 UTC, made in 2 runs: the "
             "newest made 1 stage, 3 were from the cache."));
  CHECK(says(text, "Computed with AMD x86-64-v3 (AVX2, FMA)."));
  CHECK(says(text, "6.8 s together"));
  CHECK(says(text, "the longest was `importance` with 3.0 s"));
}

TEST_CASE("the environment names the nodes, and says if they compute differently", "[report]") {
  Json json = provenance_json();
  json["stages"][1]["machine"]["node"] = "node7";
  json["stages"][1]["numerics"] = "AMD x86-64-v3 (AVX2, FMA); OpenBLAS 0.3.21 Zen";
  const std::string same = environment_piece(parse_provenance(json.dump())).markdown;
  CHECK(says(same, "node7, A CPU, 2 cores"));
  CHECK(says(same, "Computed with AMD x86-64-v3 (AVX2, FMA); OpenBLAS 0.3.21 Zen."));
  json["stages"][2]["numerics"] = "Intel x86-64-v4 (AVX-512)";
  const std::string other = environment_piece(parse_provenance(json.dump())).markdown;
  CHECK(says(other,
             "Computed in 2 ways, which may give different last digits: AMD x86-64-v3 (AVX2, FMA); "
             "OpenBLAS 0.3.21 Zen / Intel x86-64-v4 (AVX-512)."));
}

TEST_CASE("the table of stages says where each ran, if that was not one machine", "[report]") {
  Json json = provenance_json();
  const auto table = [&] { return stages_piece(parse_provenance(json.dump())).markdown; };
  CHECK(says(table(), "| stage | type | key | time |\n| --- | --- | --- | ---: |\n"));
  json["stages"][1]["machine"]["cpu"] = "Intel(R) Xeon(R) Platinum 8375C CPU @ 2.90GHz";
  json["stages"][2]["machine"]["cpu"] = "AMD EPYC 7B13 64-Core Processor";
  json["stages"][3].erase("machine");
  CHECK(says(table(), "| stage | type | key | time | on |\n| --- | --- | --- | ---: | --- |\n"));
  CHECK(says(table(), "| 1.2 s | Intel Xeon Platinum 8375C |\n"));
  CHECK(says(table(), "| 1.2 s | AMD EPYC 7B13 |\n"));
  CHECK(says(table(), "| 3.0 s |  |\n"));
  json["has_times"] = false;
  CHECK(says(table(), "| stage | type | key |\n"));

  json = provenance_json();
  for (Json& stage : json["stages"]) stage["machine"]["node"] = "n|1";
  CHECK(says(table(), "| 1.2 s | n\\|1 |\n"));
}

TEST_CASE("without times, nothing depends on when, where or by whom it was run", "[report]") {
  Json with = provenance_json(), without = provenance_json();
  with["has_times"] = without["has_times"] = false;
  for (Json& stage : without["stages"]) {
    for (const char* key : {"seconds", "cpu_seconds", "peak_memory", "finished", "run", "headway",
                            "machine", "numerics"})
      stage.erase(key);
  }
  const Provenance here = parse_provenance(with.dump()), there = parse_provenance(without.dump());
  CHECK(here.stages[0].finished == 0);
  CHECK(here.stages[0].machine.is_null());
  CHECK(all_html(here) == all_html(there));
  CHECK(all_markdown(here) == all_markdown(there));
  const std::string all = all_html(here) + all_markdown(here);
  for (const char* word : {"UTC", "A CPU", "AVX2", "0.1.0", "from cache", "1.2 s", "made", "MB"}) {
    INFO(word);
    CHECK_FALSE(says(all, word));
  }
}

TEST_CASE("the line under a figure names stage, short key and command", "[report]") {
  const Piece line = origin_line(example_provenance(), "importance.table");
  CHECK(line.markdown == "stage `importance`, key `3f2a90c1`, `headway run p.yaml importance`\n");
  CHECK(says(line.html, "<a href=\"#stage.importance\">importance</a>"));
  CHECK(says(line.html, "<code title=\"3f2a90c1aaaa\">3f2a90c1</code>"));
  CHECK(says(origin_line(example_provenance(), "<b>.x").html, "<code>&lt;b&gt;.x</code>"));
}

TEST_CASE("hostile names and values are text everywhere", "[report]") {
  Json json = provenance_json();
  json["pipeline"] = json["variant"] = json["file"] = json["report"] = kHostile;
  for (Json& stage : json["stages"]) {
    for (const char* key : {"type", "command", "run", "headway", "numerics"}) stage[key] = kHostile;
    stage["name"] = stage["name"].get<std::string>() + kHostile;
    stage["family"] = stage["family"].get<std::string>() + kHostile;
    stage["params"] = {{kHostile, kHostile}, {"map", {{kHostile, kHostile}}}};
    stage["outputs"][0]["name"] = stage["outputs"][0]["file"] = kHostile;
    stage["inputs"][0]["port"] = kHostile;
    stage["machine"] = {{"cpu", kHostile}, {"cores", kHostile}};
  }
  json["stages"][3]["inputs"][0]["sources"] = {"data" + kHostile + ".table", kHostile};
  const Provenance provenance = parse_provenance(json.dump());
  const std::string html =
      all_html(provenance) + origin_line(provenance, "data" + kHostile + ".table").html;
  CHECK_FALSE(says(html, "<script"));
  CHECK_FALSE(says(html, "alert(\"1"));
  pugi::xml_document page;
  CHECK(page.load_string(as_xml(html).c_str()));
  const std::string mermaid = graph_of(provenance).markdown;
  CHECK(times_said(mermaid, "```") == 2);
  CHECK_FALSE(says(mermaid, "<script"));
  CHECK(times_said(environment_piece(provenance).markdown, "\n") == 6);
  const std::string table = stages_piece(provenance).markdown;
  CHECK(times_said(table, "\n") == 2 + provenance.stages.size());
}

TEST_CASE("a report that depends on no stages still has its pieces", "[report]") {
  Json json = provenance_json();
  json["stages"] = json["inputs"] = Json::array();
  json["report"] = "";
  const Provenance provenance = parse_provenance(json.dump());
  CHECK(graph_of(provenance).markdown == "No stages.\n");
  CHECK(stages_piece(provenance).markdown == "No stages.\n");
  CHECK(parameters_piece(provenance).markdown == "No stage has parameters.\n");
  CHECK(says(environment_piece(provenance).markdown, "0 stages"));
}

TEST_CASE("timestamps are shown in UTC, regardless of the machine's time zone", "[report]") {
  CHECK(utc_text(0) == "1970-01-01 00:00 UTC");
  CHECK(utc_text(951868799) == "2000-02-29 23:59 UTC");
  CHECK(utc_text(253402300799) == "9999-12-31 23:59 UTC");
}

}  // namespace
}  // namespace headway::testing
