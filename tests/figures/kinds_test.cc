// What each kind draws from its tables, and its messages about unsuitable tables.
#include <catch2/catch_test_macros.hpp>
#include <cmath>

#include "tests/support/figure_examples.h"

namespace headway::testing {
namespace {

std::string example_title(const std::string& kind) {
  return title_of(example_figure(kind));
}

const std::string kImportance = "label,class,drop,low,high\n";

TEST_CASE("titles summarise the data", "[report]") {
  CHECK(example_title("training-curves") == "Training: exact match 99.99 % at the end");
  CHECK(example_title("attention") == "Attention for 3+=7 (answered 7)");
  CHECK(
      example_title("head-importance") ==
      "Component importance: 1 of 3 components critical (zero), 0 of 3 components critical (mean)");
  CHECK(example_title("head-statistics") == "Attention statistics of 3 heads");
  CHECK(example_title("pruning-curve") ==
        "Heads that can go together (greedy): 1 within 1 point, 2 within 5 points");
  CHECK(example_title("group-accuracy") == "Accuracy by groups: 99.95 % of 810 000 problems right");
  CHECK(example_title("role-attention") == "Attention between roles, by head");
  CHECK(example_title("training-summary") ==
        "Training: best validation accuracy 98.76 %, 2 min 00 s");
  CHECK(example_title("extrapolation") ==
        "Length extrapolation: 1 of 2 models above 99 % at length 64 (swaps), 0 of 2 (adjacent)");
  CHECK(example_title("position-heatmap") ==
        "Position vectors (learned): 4 positions, 3 dimensions, the first 2 trained");
  CHECK(example_title("encoding-comparison") ==
        "2 positional encodings of 4 positions, trained on the first 2");
  CHECK(example_title("lines") == "loss against epoch");
  CHECK(example_title("points") == "near, far by encoding");
  CHECK(example_title("bars") == "seconds by stage");
  CHECK(example_title("heatmap") == "accuracy by depth and width");
  CHECK(example_title("sweep-lines") ==
        "evaluate.greedy against n_heads: best 95.5 % with n_heads 2, positions rope (mean of 2 "
        "seeds)");
  CHECK(example_title("sweep-heatmap") ==
        "evaluate.greedy (%): best 95.5 % with n_heads 2, positions rope (mean of 2 seeds)");
  CHECK(example_title("parallel-coordinates") ==
        "5 configurations: best evaluate.greedy 95.5 % with n_heads 2, positions rope (mean of 2 "
        "seeds)");
}

TEST_CASE("a fan-in of one item is named in the title", "[report]") {
  CHECK(title_of(figure_of("head-importance",
                           {csv("zero", kImportance + "Encoder L0 H0,redundant,0,0,0\n")})) ==
        "Head importance, zero ablation: 0 of 1 heads critical");
}

TEST_CASE("several trainings are lines in one figure", "[report]") {
  const std::string table = example_of("training-curves")[0].bytes;
  const Figure figure = figure_of("training-curves", {csv("seed-1", table), csv("seed-2", table)});
  CHECK(title_of(figure) == "2 trainings: exact match 99.99 % at the end");
  CHECK(contains(figure.script, "title 'seed-1'"));
  CHECK(contains(figure.script, "title 'seed-2'"));
  CHECK(contains(figure.data, ": seed-2, greedy\n"));
}

TEST_CASE("classifier trainings are drawn with their own accuracy", "[report]") {
  const std::string table = example_of("training-summary")[0].bytes;
  const Figure one = figure_of("training-curves", {csv("", table)});
  CHECK(title_of(one) == "Training: accuracy 97.5 % at the end");
  CHECK(contains(one.script, "set title 'validation accuracy (%)'"));
  CHECK(contains(one.data, "# epoch\taccuracy\n1\t0.5\n"));
  const Figure two = figure_of("training-curves", {csv("a", table), csv("b", table)});
  CHECK(title_of(two) == "2 trainings: accuracy 97.5 % at the end");
  CHECK(contains(two.script, "set title 'validation accuracy (%)'"));
}

TEST_CASE("trainings without a common accuracy are reported", "[report]") {
  const std::string losses = "epoch,train_loss,val_loss\n1,1,1\n";
  CHECK(mistake("training-curves", {csv("a", losses)}) ==
        "figure 'training-curves': table 'a' has no column 'greedy', 'accuracy' or "
        "'token_accuracy'");
  CHECK(mistake("training-curves", {csv("a", example_of("training-summary")[0].bytes),
                                    csv("b", example_of("training-curves")[0].bytes)}) ==
        "figure 'training-curves': the tables have no column 'greedy', 'accuracy' or "
        "'token_accuracy' that is in all of them");
}

TEST_CASE("trainings beyond the number of colours differ by their points", "[report]") {
  const std::string table = example_of("training-curves")[0].bytes;
  std::vector<FigureSource> trainings;
  for (int i = 0; i < 8; ++i) trainings.push_back(csv("seed-" + std::to_string(i), table));
  const Figure figure = figure_of("training-curves", trainings);
  CHECK(contains(figure.script, "pt 7 ps 0.3 lw 2 dt 1 lc '#0072B2' title 'seed-0'"));
  CHECK(contains(figure.script, "pt 4 ps 0.7 lw 2 dt 1 lc '#0072B2' title 'seed-7'"));
}

TEST_CASE("zero losses are drawn without a logarithmic axis", "[report]") {
  std::string table = example_of("training-curves")[0].bytes;
  CHECK(contains(figure_of("training-curves", {csv("", table)}).script, "\nset logscale y"));
  table += "4,0,0,1,1,1,0\n";
  CHECK_FALSE(contains(figure_of("training-curves", {csv("", table)}).script, "\nset logscale y"));
}

TEST_CASE("epochs that were not measured are left out of a line", "[report]") {
  const Figure figure = figure_of("training-curves", example_of("training-curves"));
  CHECK(contains(figure.data, "# epoch\tgreedy\n1\t0.05\n3\t0.99999\n"));
}

TEST_CASE("heads are in the order of the first table's drops", "[report]") {
  const Figure figure =
      figure_of("head-importance",
                {csv("", kImportance + "low,redundant,0.5,0,1\nhigh,critical,20,19,21\n")});
  CHECK(contains(figure.script, "set ytics ('high' 1, \\\n  'low' 2)"));
}

TEST_CASE("a different problem can be chosen", "[report]") {
  FigureOptions options;
  options.problem = 1;
  const Figure figure = figure_of("attention", example_of("attention"), options);
  CHECK(title_of(figure) == "Attention for 4=42 (answered 42)");
  options.problem = 2;
  CHECK(mistake("attention", example_of("attention"), options) ==
        "figure 'attention': there is no problem 2: the file has 2, from 0");
}

TEST_CASE("what is drawn without is named by its kind", "[report]") {
  const auto importance_of = [](const std::string& kind, const std::string& accuracy) {
    return figure_of("head-importance", {csv("", "label,kind,class,drop,low,high," + accuracy +
                                                     "\nA," + kind + ",critical,20,19,21,0.5\n")});
  };
  CHECK(title_of(importance_of("head", "greedy")) == "Head importance: 1 of 1 heads critical");
  CHECK(title_of(importance_of("ffn", "greedy")) ==
        "Feed-forward layer importance: 1 of 1 feed-forward layers critical");
  CHECK(title_of(importance_of("block", "greedy")) == "Block importance: 1 of 1 blocks critical");
  CHECK(contains(importance_of("head", "greedy").script,
                 "'drop of exact match without the head (points, 95 % interval)'"));
  CHECK(contains(importance_of("block", "accuracy").script,
                 "'drop of accuracy without the block (points, 95 % interval)'"));
}

TEST_CASE("a colour bar stays where its numbers have room", "[report]") {
  const std::string table = example_of("head-statistics")[0].bytes;
  const std::string script =
      figure_of("head-statistics", {csv("a", table), csv("b", table)}).script;
  // Without a place of its own, gnuplot would choose another.
  CHECK_FALSE(contains(script, "\nset colorbox\n"));
  CHECK(script.rfind("set colorbox user") > script.rfind("unset colorbox"));
}

TEST_CASE("what is removed together is called heads if nothing else is", "[report]") {
  const auto title_with = [](const std::string& unit) {
    return title_of(figure_of("pruning-curve", {csv("",
                                                    "strategy,removed,accuracy,low,high,unit\n"
                                                    "greedy,0,1,1,1,\ngreedy,1,1,1,1," +
                                                        unit + "\n")}));
  };
  CHECK(title_with("Encoder L0 H10").starts_with("Heads that can go together (greedy): 1 within"));
  CHECK(title_with("Encoder FFN L0").starts_with("Components that can go together"));
}

TEST_CASE("statistics below 0 have colours of their own", "[report]") {
  const auto script_of = [](const std::string& value) {
    return figure_of("head-statistics",
                     {csv("", "head,label,module,copying\nx,X,a," + value + "\ny,Y,b,0.5\n")})
        .script;
  };
  CHECK(contains(script_of("-0.25"), "set cbrange [-1:1]"));
  CHECK(contains(script_of("-0.25"), "(-1 '#D55E00', 0 '#FFFFFF'"));
  CHECK(contains(script_of("0.25"), "set cbrange [0:1]"));
}

TEST_CASE("a line separates heads of different modules", "[report]") {
  const std::string rows = "head,label,module,column\na,A,encoder,1\nb,B,encoder,1\nc,C,";
  const auto has_line = [&](const std::string& module) {
    return contains(figure_of("head-statistics", {csv("", rows + module + ",1\n")}).script,
                    "from graph 0, first 2.5 to graph 1, first 2.5");
  };
  CHECK(has_line("decoder"));
  CHECK_FALSE(has_line("encoder"));
}

TEST_CASE("statistics that apply to no head are left out", "[report]") {
  const auto data_of = [](const std::string& second) {
    return figure_of("head-statistics", {csv("one", "label,a,b\nA,1,\n"),
                                         csv("two", "label,a,b\nA,1," + second + "\n")})
        .script;
  };
  CHECK(contains(data_of("0.5"), "set xtics ('a' 1, 'b' 2)"));
  CHECK(contains(data_of(""), "set xtics ('a' 1)"));
  CHECK(contains(figure_of("head-statistics", {csv("", "label,a\nA,\n")}).script, "('a' 1)"));
}

TEST_CASE("long names of statistics are slanted", "[report]") {
  const auto is_slanted = [](const std::string& name) {
    const std::string script =
        figure_of("head-statistics", {csv("", "label," + name + "\nA,1\n")}).script;
    return contains(script, "set label 11 '" + name + "'");
  };
  CHECK(is_slanted("to_the_token_after_an_earlier"));
  CHECK_FALSE(is_slanted("carry_without"));
}

TEST_CASE("heads that remain after pruning keep their numbers", "[report]") {
  TensorFile maps = attention_maps();
  maps.metadata["heads"] = R"({"encoder.0.self": [1, 3], "decoder.0.cross": [0, 2]})";
  maps.arrays["decoder.0.self"] = Array::of({2, 0, 2, 2}, std::span<const float>{});
  const Figure figure = figure_of("attention", {tensors(maps)});
  CHECK(contains(figure.data, ": Encoder L0 H3\n"));
  CHECK(contains(figure.data, ": Decoder Cross L0 H2\n"));
  CHECK_FALSE(contains(figure.script, "Decoder Self"));
  maps.metadata["heads"] = R"({"encoder.0.self": [1]})";
  CHECK(mistake("attention", {tensors(maps)}) ==
        "figure 'attention': metadata 'heads' names 1 heads of 'encoder.0.self', which has 2");
}

TEST_CASE("malformed attention maps are reported", "[report]") {
  const auto mistake_in = [](const TensorFile& maps) {
    return mistake("attention", {tensors(maps)});
  };
  TensorFile maps = attention_maps();
  maps.metadata["problems"] = "[1]";
  CHECK(contains(mistake_in(maps), "metadata 'problems' must be a JSON list of texts"));
  maps.metadata.erase("problems");
  CHECK(contains(mistake_in(maps), "no metadata 'problems'"));

  maps = attention_maps();
  maps.arrays.erase("inputs");
  CHECK(contains(mistake_in(maps), "inputs"));

  maps = attention_maps();
  maps.arrays["encoder.0.self"] = Array::of({2, 1, 1, 2}, std::vector<float>(4));
  CHECK(contains(mistake_in(maps), "encoder.0.self"));

  maps = attention_maps();
  maps.arrays["encoder.0.self"] = Array::of({2, 2, 2, 2}, std::vector<float>(16, NAN));
  CHECK(mistake_in(maps) ==
        "figure 'attention': attention 'encoder.0.self' has weights that are no numbers");

  maps = attention_maps();
  for (const char* name : {"encoder.0.self", "decoder.0.self", "decoder.0.cross"}) {
    maps.arrays.erase(name);
  }
  CHECK(contains(mistake_in(maps), "no attention maps"));
}

TEST_CASE("a missing column is reported with the existing ones", "[report]") {
  for (const FigureKind& kind : all_figure_kinds()) {
    if (!kind.from_tables) continue;
    INFO(kind.name);
    const std::string message =
        mistake(kind.name, {csv("zero", "a,b\n1,2\n")}, example_options(kind.name));
    CHECK(message.starts_with("figure '" + kind.name + "': table 'zero' has no column '"));
    CHECK(message.ends_with("'; it has a, b"));
  }
}

TEST_CASE("a column whose name is nearly right is suggested", "[report]") {
  CHECK(mistake("pruning-curve", {csv("", "strategy,remove,accuracy,low,high\na,0,1,1,1\n")}) ==
        "figure 'pruning-curve': the table has no column 'removed'; it has strategy, remove, "
        "accuracy, low, high; did you mean 'remove'?");
}

TEST_CASE("every kind says what it needs", "[report]") {
  for (const FigureKind& kind : all_figure_kinds()) {
    INFO(kind.name);
    CHECK(contains(kind.needs, kind.from_tables ? "column" : "array"));
  }
}

TEST_CASE("an empty table is reported", "[report]") {
  for (const FigureKind& kind : all_figure_kinds()) {
    if (!kind.from_tables) continue;
    const std::string table = example_of(kind.name)[0].bytes;
    const FigureOptions options = example_options(kind.name);
    CHECK(mistake(kind.name, {csv("", table.substr(0, table.find('\n') + 1))}, options) ==
          "figure '" + kind.name + "': the table has no rows: nothing to draw");
    CHECK(mistake(kind.name, {}, options) ==
          "figure '" + kind.name + "': no table: nothing to draw");
  }
}

TEST_CASE("an input of the wrong kind is reported with what the figure is drawn from", "[report]") {
  CHECK(mistake("pruning-curve", example_of("attention")) ==
        "figure 'pruning-curve': it is drawn from tables (CSV), and maps.safetensors is none");
  CHECK(mistake("attention", example_of("pruning-curve")) ==
        "figure 'attention': it is drawn from attention maps (safetensors), and table.csv is a "
        "table");
  CHECK(mistake("position-heatmap", example_of("pruning-curve")) ==
        "figure 'position-heatmap': it is drawn from position vectors (safetensors), and table.csv "
        "is a table");
  CHECK(mistake("attention", {tensors(attention_maps()), tensors(attention_maps())}) ==
        "figure 'attention': it is drawn from one file, not 2");
  CHECK(contains(mistake("attention", {{"", "maps.safetensors", "abc"}}), "maps.safetensors"));
  CHECK(contains(mistake("pruning-curve", {csv("", "a,\"b\n")}), "table.csv"));
}

TEST_CASE("empty cells are reported where a number is required", "[report]") {
  CHECK(mistake("head-importance", {csv("", kImportance + "Encoder L0 H0,critical,,1,2\n")}) ==
        "figure 'head-importance': the table, row 1: column 'drop' must be a number, not ''");
  CHECK(
      mistake("pruning-curve", {csv("", "strategy,removed,accuracy,low,high\ngreedy,,1,1,1\n")}) ==
      "figure 'pruning-curve': the table, row 1: column 'removed' must be a number, not ''");
  CHECK(mistake("training-curves",
                {csv("",
                     "epoch,train_loss,val_loss,token_accuracy,teacher_forced,greedy\n"
                     "1,1,1,1,1,\n")}) ==
        "figure 'training-curves': the table: column 'greedy' has no number in any row");
}

TEST_CASE("contents that contradict the kind are reported", "[report]") {
  CHECK(mistake("head-importance", {csv("", kImportance + "A,vital,1,0,2\n")}) ==
        "figure 'head-importance': the table, row 1: class 'vital' is none of critical, important, "
        "redundant");
  CHECK(mistake("head-importance",
                {csv("", kImportance + "A,redundant,1,0,2\nA,redundant,1,0,2\n")}) ==
        "figure 'head-importance': the table, row 2: 'A' is there twice");
  CHECK(mistake("head-importance", {csv("zero", kImportance + "A,redundant,1,0,2\n"),
                                    csv("mean", kImportance + "B,redundant,1,0,2\n")}) ==
        "figure 'head-importance': table 'mean' has no 'A', which the first table has");
  CHECK(
      mistake("pruning-curve", {csv("", "strategy,removed,accuracy,low,high\ngreedy,1,1,1,1\n")}) ==
      "figure 'pruning-curve': the table has no row with removed 0: the unpruned model's "
      "accuracy");
  CHECK(mistake("head-statistics", {csv("", "head,label\nx,X\n")}) ==
        "figure 'head-statistics': the table has no statistics beside the heads' names; it has "
        "head, label");
}

}  // namespace
}  // namespace headway::testing
