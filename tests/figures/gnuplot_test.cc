// With the real gnuplot: every kind is drawn, without a warning, to the same bytes each time, and
// text from tables stays text.
#include "lib/figures/gnuplot.h"

#include <catch2/catch_test_macros.hpp>
#include <cstdlib>

#include "lib/base/error.h"
#include "lib/base/json.h"
#include "lib/base/text.h"
#include "tests/support/figure_examples.h"

namespace headway::testing {
namespace {

TEST_CASE("every kind is drawn, and identically twice", "[report]") {
  for (const FigureKind& kind : all_figure_kinds()) {
    INFO(kind.name);
    const Figure figure = example_figure(kind.name);
    const Drawing first = draw(figure), second = draw(figure);
    CHECK(first.warnings == "");
    CHECK(first.svg.starts_with("<?xml"));
    CHECK(contains(first.svg, "</svg>"));
    CHECK(contains(first.svg, "sans-serif"));
    CHECK(first.png.starts_with("\x89PNG"));
    CHECK(first.svg == second.svg);
    CHECK(first.png == second.png);
  }
}

class TestFolder {
 public:
  TestFolder() {
    std::string pattern =
        (std::filesystem::temp_directory_path() / "headway-report-XXXXXX").string();
    if (!::mkdtemp(pattern.data())) throw Error("cannot make a temporary folder");
    path_ = pattern;
  }
  ~TestFolder() { std::filesystem::remove_all(path_); }
  TestFolder(const TestFolder&) = delete;
  TestFolder& operator=(const TestFolder&) = delete;

  const Path& path() const { return path_; }
  bool is_empty() const { return std::filesystem::is_empty(path_); }

 private:
  Path path_;
};

TEST_CASE("a script run by hand draws the same figure, and does not touch the result", "[report]") {
  const Figure figure = figure_of("head-importance", example_of("head-importance"));
  const TestFolder folder;
  RealFileSystem files;
  files.write(folder.path() / "object", "the result", Durability::kCached);
  files.make_link("object", folder.path() / "figure.svg");
  files.write(folder.path() / "figure.gp", figure.script, Durability::kCached);
  files.write(folder.path() / "figure.dat", figure.data, Durability::kCached);
  const std::string command = "cd " + folder.path().string() + " && gnuplot figure.gp";
  REQUIRE(std::system(command.c_str()) == 0);
  CHECK(files.read(folder.path() / "object") == "the result");
  const Drawing drawing = draw(figure);
  CHECK(files.read(folder.path() / "redrawn.svg") == drawing.svg);
  CHECK(files.read(folder.path() / "redrawn.png") == drawing.png);
}

std::vector<std::string> hostile_texts(const std::string& path) {
  return {
      "\"; system(\"touch " + path + "1\") #",
      "'; system('touch " + path + "2') #",
      "'.system('touch " + path + "3').'",
      "''; system('touch " + path + "0') #",
      "`touch " + path + "4`",
      "\"`touch " + path + "5`\"",
      "\\\"`touch " + path + "6`\\\"",
      "x\n!touch " + path + "7\nsystem('touch " + path + "8')\n",
      "@system {/=50 big} a_b^c % %s %d %n \\n \\ # \t\x1b[31m \xff",
      "< touch " + path + "9",
  };
}

std::string csv_quoted(const std::string& text) {
  std::string result = "\"";
  for (const char letter : text) result += letter == '"' ? "\"\"" : std::string(1, letter);
  return result + "\"";
}

// Text as metadata can hold it.
std::string as_utf8(const std::string& text) {
  return parse_json(to_line(text))->get<std::string>();
}

// The example with its names and every text of its metadata replaced, except numbers.
std::vector<FigureSource> hostile_tensors(const std::string& kind, const std::string& text) {
  std::vector<FigureSource> sources = example_of(kind);
  for (FigureSource& source : sources) {
    TensorFile file = parse_safetensors(source.bytes, source.file);
    for (const char* name : {"encoding", "gram"}) {
      if (file.metadata.contains(name)) file.metadata[name] = as_utf8(text);
    }
    for (const char* name : {"problems", "answers", "tokens"}) {
      if (!file.metadata.contains(name)) continue;
      Json texts = *parse_json(file.metadata[name]);
      for (Json& one : texts) one = as_utf8(text);
      file.metadata[name] = texts.dump();
    }
    source.name = text;
    source.bytes = to_safetensors(file);
  }
  return sources;
}

// The example with the text in every cell that is no number, and in every name.
Figure hostile_chart(const std::string& kind, const Table& table, const std::string& text) {
  FigureOptions options = example_options(kind);
  options.title = options.x_label = options.y_label = text;
  for (std::string* column :
       {&options.x, &options.rows, &options.metric, &options.series, &options.panels}) {
    if (!column->empty()) *column += text;
  }
  for (std::vector<std::string>* columns : {&options.y, &options.low, &options.high}) {
    for (std::string& column : *columns) column += text;
  }
  std::vector<std::string> columns = table.columns();
  for (std::string& column : columns) column += text;
  Table changed(columns);
  for (std::vector<std::string> cells : table.rows()) {
    for (std::string& cell : cells) {
      if (!cell.empty() && !parse_number(cell)) cell += text;
    }
    changed.add(cells);
  }
  return figure_of(kind,
                   {{text, "table.csv", changed.to_csv()}, {"b" + text, "b.csv", changed.to_csv()}},
                   options);
}

// The example with every text of its table, its name and its title replaced.
Figure hostile_figure(const FigureKind& kind, const std::string& text) {
  FigureOptions options = example_options(kind.name);
  options.title = text;
  if (kind.from_tensors) return make_figure(kind, hostile_tensors(kind.name, text), options);
  const Table table = parse_csv(example_of(kind.name)[0].bytes, "example");
  if (kind.check_options) return hostile_chart(kind.name, table, text);
  Table changed(table.columns());
  for (std::size_t row = 0; row < table.size(); ++row) {
    std::vector<std::string> cells = table.rows()[row];
    for (std::size_t column = 0; column < cells.size(); ++column) {
      const std::string& name = table.columns()[column];
      if (name == "strategy" || name == "value" || name == "query" || name == "key")
        cells[column] = text;
      if (name == "group" && cells[column] != "all") cells[column] += text;
      // These must differ from row to row, or from panel to panel.
      if (name == "label") cells[column] = text + std::to_string(row);
      if (name == "negatives" || name == "model.positions") cells[column] = text + cells[column];
    }
    changed.add(cells);
  }
  std::string bytes = changed.to_csv();
  if (kind.name == "head-statistics") {  // there, columns are names too
    const std::size_t at = bytes.find("diagonal");
    bytes.replace(at, 8, csv_quoted(text));
  }
  if (is_of_sweep(kind.name)) {
    for (const std::string name : {"model.positions", "evaluate.greedy"}) {
      bytes.replace(bytes.find(name), name.size(), csv_quoted(name + text));
    }
  }
  return figure_of(kind.name, {{text, "table.csv", bytes}}, options);
}

TEST_CASE("text from tables is never executed", "[report]") {
  for (const FigureKind& kind : all_figure_kinds()) {
    const TestFolder bait;
    for (const std::string& text : hostile_texts((bait.path() / "pwned").string())) {
      INFO(kind.name << ": " << printable(text));
      const Drawing drawing = draw(hostile_figure(kind, text));
      CHECK(contains(drawing.svg, "</svg>"));
      CHECK(bait.is_empty());
    }
  }
}

TEST_CASE("text from tables is shown verbatim", "[report]") {
  const std::string text = "50 % of_{a}^b @x `y` \\n";
  for (const FigureKind& kind : all_figure_kinds()) {
    INFO(kind.name);
    const std::string svg = draw(hostile_figure(kind, text)).svg;
    CHECK(contains(svg, "<text>" + text + "</text>"));
  }
}

TEST_CASE("gnuplot's error message is reported with the script's line", "[report]") {
  Figure figure = figure_of("pruning-curve", example_of("pruning-curve"));
  figure.script.insert(figure.script.find("set multiplot"), "set nonsense\n");
  try {
    draw(figure);
    FAIL("drawn");
  } catch (const Error& error) {
    CHECK(contains(error.what(), "gnuplot failed (exit code 1): "));
    CHECK(contains(error.what(), "unrecognized option"));
    CHECK(contains(error.what(), " of the script: set nonsense"));
  }
}

TEST_CASE("a script that draws nothing is an error", "[report]") {
  CHECK_THROWS_AS(draw({"x = 1\n", "", {10, 10}}), Error);
}

TEST_CASE("without gnuplot, the error says what to install", "[report]") {
  const PathVariable none("/nowhere");
  try {
    draw(figure_of("pruning-curve", example_of("pruning-curve")));
    FAIL("drawn");
  } catch (const Error& error) {
    CHECK(std::string(error.what()) ==
          "gnuplot is not installed; on Debian: apt install gnuplot-nox");
  }
}

}  // namespace
}  // namespace headway::testing
