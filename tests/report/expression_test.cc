// The meaning of template expressions, messages about mistakes in them, and that hostile ones take
// bounded time.
#include "lib/report/expression.h"

#include <catch2/catch_approx.hpp>
#include <catch2/catch_test_macros.hpp>

#include "lib/base/error.h"
#include "lib/report/evaluator.h"
#include "lib/report/functions.h"

namespace headway::testing {
namespace {

Sources expression_sources() {
  Sources sources;
  sources.add("heads", {{"", "ablate.heads", "h.csv",
                         "label,drop,module,right,count\nA,30,encoder,70,100\nB,2,decoder,98,100\n"
                         "C,,decoder,,\nD,12,encoder,88,100\n"}});
  sources.add("zero-tables", {{"zero", "ablate@zero.heads", "h.csv", "label,drop\nA,3\nB,1\n"},
                              {"mean", "ablate@mean.heads", "h.csv", "label,low\nA,0.5\n"}});
  sources.add("evaluation",
              {{"", "evaluate.metrics", "m.json",
                R"({"greedy": 0.9995, "by": {"carry": [0.5, 0.25]}, "prune.1.5": 7, "none": null,
                    "right": true, "name": "a|b", "count": 810000, "names": ["10", "9"], "rows": [{"x": 1}, {"x": 2}]})"}});
  sources.add("models",
              {{"rope", "train@rope.metrics", "m.json", R"({"accuracy": {"256": 0.75}})"},
               {"none", "train@none.metrics", "m.json", R"({"accuracy": {"256": 0.5}})"}});
  sources.add("alone", {{"rope", "train@rope.metrics", "m.json", R"({"accuracy": 0.5})"}});
  sources.add("one-table", {{"zero", "ablate@zero.heads", "h.csv", "label,drop\nA,3\n"}});
  sources.add("seeds", {{"", "trials.table", "t.csv",
                         "lr,config,score\n1,a,1\n1,a,1.1\n1,b,2\n1,b,2.1\n2,c,2\n2,c,2.1\n2,d,3\n"
                         "2,d,3.1\n"}});
  sources.add("notes", {{"", "notes.text", "notes.txt", "plain\n"}});
  sources.add("failures", {{"", "evaluate.failures", "failures.txt",
                            "12+9=021, predicted 011\n\n3+4=007, predicted 07x\nnot a sum\n"}});
  sources.add("log", {{"", "train.log", "log.csv", "epoch,loss\n1,nan\n2,0.5\n"}});
  sources.add("picture", {{"", "plot.svg", "plot.svg", "<svg/>"}});
  return sources;
}

std::string parameter_named(const std::string& path) {
  return path == "train.epochs" ? "8" : "alibi, none";
}

// The result of {{ text }}, or the mistake in it.
std::string shown(std::string_view text, const std::string& format = "") {
  static const Sources kSources = expression_sources();
  try {
    Evaluator evaluator(kSources, parameter_named);
    ExpressionReader reader(text);
    const Expression expression = reader.expression();
    if (!reader.at_end()) reader.expect("nothing more");
    return evaluator.text(expression, format);
  } catch (const Error& error) {
    return std::string("mistake: ") + error.what();
  }
}

TEST_CASE("operators have the precedence of arithmetic, and compare", "[report]") {
  CHECK(shown("1 + 2 * 3 - 4 / 2") == "5");
  CHECK(shown("(1 + 2) * -3") == "-9");
  CHECK(shown("10 - 3 - 2") == "5");
  CHECK(shown("1 + 1 == 2 and not 3 < 2 or false") == "true");
  CHECK(shown("false and false or true") == "true");
  CHECK(shown("not true or true") == "true");
  CHECK(shown("2 >= 2 and 1 <= 2 and 1 != 2 and 2 > 1") == "true");
  CHECK(shown("\"a\" < \"b\"") == "true");
  CHECK(shown("\"1\" == 1") == "true");
  CHECK(shown("\"a\" + 1 + \"b\"") == "a1b");
  CHECK(shown("0.1 + 0.2") == "0.3");
  CHECK(shown("1000 * 1000") == "1,000,000");
  CHECK(shown("1 / 0").empty());
}

TEST_CASE("a text is a table of its lines, which parse() splits", "[report]") {
  CHECK(shown("count(notes)") == "1");
  CHECK(shown("last(failures).line") == "not a sum");
  const std::string wrong = R"(parse(failures, line, "{problem}={sum}, predicted {answer}"))";
  CHECK(shown("count(" + wrong + ")") == "2");
  CHECK(shown("list(" + wrong + ", answer)") == "011 and 07x");
  CHECK(shown("first(" + wrong + ").sum - first(" + wrong + ").answer") == "10");
  CHECK(shown("first(" + wrong + ").line") == shown("first(failures).line"));
  CHECK(shown("list(parse(failures, line, \"{line}=\"), line_2)").empty());
  CHECK(shown("list(parse(failures, line, \"{line}a sum\"), line_2)") == "not");
}

TEST_CASE("a cell without a measured number is nothing", "[report]") {
  CHECK(shown("mean(log, loss)") == "0.5");
  CHECK(shown("is(first(log).loss)") == "false");
}

TEST_CASE("powers", "[report]") {
  CHECK(shown("81 * power(100, 2)") == "810,000");
  CHECK(shown("power(10, 400)").empty());
}

TEST_CASE("a dash inside a name is part of it, and one between spaces subtracts", "[report]") {
  CHECK(shown("count(zero-tables)") == "3");
  CHECK(shown("evaluation.count - evaluation.greedy > 0") == "true");
}

TEST_CASE("metrics are accessed by path, and keep their digits", "[report]") {
  CHECK(shown("evaluation.greedy") == "0.9995");
  CHECK(shown("evaluation.count") == "810000");
  CHECK(shown("evaluation.by.carry.1") == "0.25");
  CHECK(shown("evaluation.prune.1.5") == "7");
  CHECK(shown("evaluation[\"prune.1.5\"] + 1") == "8");
  CHECK(shown("evaluation[\"by.\" + \"carry\"].0") == "mistake: a list has no '0'");
  CHECK(shown("evaluation.name") == "a\\|b");
  CHECK(shown("max(evaluation.by.carry)") == "0.5");
}

TEST_CASE("nothing is false, is skipped, and propagates", "[report]") {
  CHECK(shown("is(evaluation.none)") == "false");
  CHECK(shown("is(evaluation.missing)") == "false");
  CHECK(shown("is(evaluation.none + 1)") == "false");
  CHECK(shown("is(evaluation.none == 1)") == "false");
  CHECK(shown("not evaluation.none") == "true");
  CHECK(shown("mean(heads, drop) * 3") == "44");
  CHECK(shown("sum(where(heads, label == \"none\"), drop)") == "0");
  CHECK(shown("is(mean(where(heads, label == \"none\"), drop))") == "false");
  CHECK(shown("first(where(heads, drop > 100)).label").empty());
  CHECK(shown("first(where(heads, drop > 100)).drop", "points") == "not measured");
}

TEST_CASE("rows are filtered, sorted and counted", "[report]") {
  CHECK(shown("count(where(heads, drop > 10))") == "2");
  CHECK(shown("count(where(heads, drop > 10 and module == \"encoder\"))") == "2");
  CHECK(shown("list(sort(heads, drop), label)") == "B, D, A and C");
  CHECK(shown("list(sort(heads, -drop), label)") == "A, D, B and C");
  CHECK(shown("list(sort(heads, module), label)") == "B, C, A and D");
  CHECK(shown("list(first(heads, 2), label)") == "A and B");
  CHECK(shown("list(last(heads, 2), label)") == "C and D");
  CHECK(shown("list(rest(heads), label)") == "B, C and D");
  CHECK(shown("first(heads).label + last(heads).label") == "AD");
  CHECK(shown("list(heads, label, 2)") == "A, B and 2 more");
  CHECK(shown("list(distinct(heads, module))") == "encoder and decoder");
  CHECK(shown("list(values(heads, drop))") == "30, 2 and 12");
  CHECK(shown("any(heads, drop > 20)") == "true");
  CHECK(shown("all(heads, drop > 0)") == "false");
  CHECK(shown("list(columns(heads), 2)") == "label, drop and 3 more");
  CHECK(shown("sum(heads, row[\"dr\" + \"op\"])") == "44");
}

TEST_CASE("any and all stop at the first decisive row", "[report]") {
  CHECK(shown("any(heads, label == \"A\" or drop > \"x\")") == "true");
  CHECK(shown("all(heads, label != \"A\" and drop > \"x\")") == "false");
  CHECK(shown("any(heads, label == \"B\" or drop > \"x\")").starts_with("mistake: "));
}

TEST_CASE("a list as a table has numbers if its texts are numbers", "[report]") {
  CHECK(shown("first(sort(evaluation.names, it)).it") == "9");
}

TEST_CASE("aggregates reduce the numbers of all rows to one", "[report]") {
  CHECK(shown("sum(heads, drop)") == "44");
  CHECK(shown("mean(heads, drop)") == "14.7");
  CHECK(shown("median(heads, drop)") == "12");
  CHECK(shown("median(first(heads, 2), drop)") == "16");
  CHECK(shown("min(heads, drop) + max(heads, drop)") == "32");
  CHECK(shown("max(1, 3, 2)") == "3");
  CHECK(shown("sum(heads, right / count)") == "2.56");
}

TEST_CASE("a list of artifacts is one table, with an extra column for the item", "[report]") {
  CHECK(shown("list(zero-tables, item + label)") == "zeroA, zeroB and meanA");
  CHECK(shown("list(where(zero-tables, item == \"zero\"), drop)") == "3 and 1");
  CHECK(shown("count(where(zero-tables, is(low)))") == "1");
  CHECK(shown("first(sort(models, -accuracy.256)).item") == "rope");
  CHECK(shown("mean(models, accuracy.256)", "percent") == "62.5 %");
}

TEST_CASE("a list of one artifact is a table too", "[report]") {
  CHECK(shown("alone.accuracy") == "0.5");
  CHECK(shown("list(alone, item + accuracy)") == "rope0.5");
  CHECK(shown("list(one-table, item + label)") == "zeroA");
}

TEST_CASE("tables are joined on equal columns", "[report]") {
  const std::string joined = "join(zero-tables, heads, \"label\")";
  CHECK(shown("count(" + joined + ")") == "3");
  CHECK(shown("list(" + joined + ", label + drop_2)") == "A30, B2 and A30");
  CHECK(shown("list(columns(" + joined + "))") ==
        "item, label, drop, low, drop_2, module, right and count");
  CHECK(shown("count(join(heads, heads, \"module\"))") == "8");
  CHECK(shown("count(join(heads, heads, \"nope\"))") ==
        "mistake: ablate.heads has no column 'nope' to join by");
}

TEST_CASE("tables are joined by names in a list, and a row is itself a table", "[report]") {
  CHECK(shown("count(join(heads, first(heads), values(where(columns(heads), it == \"module\"), "
              "it)))") == "2");
  CHECK(shown("count(where(heads, count(join(heads, row, \"module\")) == 2))") == "4");
  CHECK(shown("list(sort(values(heads, drop), -it), it)") == "30, 12 and 2");
  CHECK(shown("max(values(heads, drop / 7)) == max(sort(values(heads, drop / 7), it), it)") ==
        "true");
}

TEST_CASE("texts for sentences", "[report]") {
  CHECK(shown("plural(1, \"head\")") == "1 head");
  CHECK(shown("plural(2, \"head\")") == "2 heads");
  CHECK(shown("plural(0, \"study\", \"studies\")") == "0 studies");
  CHECK(shown("one(1, \"is\", \"are\") + one(2, \"is\", \"are\")") == "isare");
  CHECK(shown("choose(1 > 2, \"a\", \"b\")") == "b");
  CHECK(shown("choose(elsewhere, \"a\", \"b\")") == "b");
  CHECK(shown("contains(\"carry\", \"arr\")") == "true");
  CHECK(shown("contains(distinct(heads, module), \"encoder\")") == "true");
  CHECK(shown("percent(0.5) + \", \" + points(1)") == "50 %, 1 point");
  CHECK(shown("percent_interval(0.5, 0.25, 0.75)") == "50 % (95 % interval 25 to 75 %)");
  CHECK(shown("parameter(\"train.epochs\") + 1") == "9");
  CHECK(shown("parameter(\"train.encoding\")") == "alibi, none");
  CHECK(shown("number(\"12\") + 1") == "13");
  CHECK(shown("is(number(\"x\"))") == "false");
  CHECK(shown("abs(-2) + round(2.5) + floor(2.5) + sqrt(4) + log(1)") == "9");
  CHECK(shown("round(2.345, 1)") == "2.3");
  CHECK(shown("decimal(2.34567, 2)") == "2.3");
}

TEST_CASE("formats write numbers, and code", "[report]") {
  CHECK(shown("0.5", "percent") == "50 %");
  CHECK(shown("1", "points") == "1 point");
  CHECK(shown("810000", "count") == "810,000");
  CHECK(shown("0.03214", "decimal") == "0.0321");
  CHECK(shown("0.0001", "p") == "p \\< 0.001");
  CHECK(shown("65", "seconds") == "1 min 05 s");
  CHECK(shown("evaluation.name", "code") == "`a`\\|`b`");
  CHECK(shown("\"x\"", "percent") == "mistake: 'x' is no number");
  CHECK(shown("heads", "percent") == "mistake: a number is expected, not a table");
}

TEST_CASE("intervals and tests match the library's", "[report]") {
  CHECK(shown("wilson_low(70, 100)", "percent") == "60.4 %");
  CHECK(shown("wilson_high(70, 100)", "percent") == "78.1 %");
  CHECK(shown("wilson_low(70, 100, 10) < wilson_low(70, 100)") == "true");
  CHECK(shown("difference_low(90, 100, 70, 100) > 0") == "true");
  CHECK(shown("difference_high(90, 100, 70, 100) < 0.4") == "true");
  CHECK(shown("spearman(heads, drop, right)") == "-1");
  CHECK(shown("spearman_p(heads, drop, right)", "p") == "p = 0.33");
  CHECK(shown("mean_difference_low(heads, drop, heads, drop) < 0") == "true");
  CHECK(shown("mean_difference_high(heads, drop, heads, drop, 5) > 0") == "true");
  const std::string groups = "(where(seeds, lr == 1), where(seeds, lr == 2), \"config\", score)";
  CHECK(shown("group_difference_low" + groups + " < -1 and group_difference_high" + groups +
              " > -1") == "true");
  CHECK(shown("group_difference_high" + groups) == "-0.861");
  CHECK(shown("wilson_low(3, 2)").starts_with("mistake: of 'count'"));
}

TEST_CASE("conditions ask for inputs by name", "[report]") {
  CHECK(shown("has(heads) and heads and not elsewhere and not has(elsewhere)") == "true");
}

TEST_CASE("an invalid expression is refused", "[report]") {
  CHECK(shown("") == "mistake: a value is expected at the end");
  CHECK(shown("1 +") == "mistake: a value is expected at the end");
  CHECK(shown("(1") == "mistake: ')' is expected at the end");
  CHECK(shown("1 < 2 < 3") == "mistake: too many '<' in a row: use parentheses");
  CHECK(shown("count(heads") == "mistake: ',' or ')' is expected at the end");
  CHECK(shown("\"open") == "mistake: a quote is opened and not closed");
  CHECK(shown("2nd") == "mistake: '2nd' is neither a number nor a name");
  CHECK(shown("1e999") == "mistake: a number is too large or too small");
  CHECK(shown("1 and and 2") == "mistake: a value is expected, not 'and 2'");
  CHECK(shown("a[1") == "mistake: ']' is expected at the end");
  CHECK(shown("first(heads).") == "mistake: the name of a field is expected at the end");
  CHECK(shown("1 2") == "mistake: nothing more is expected, not '2'");
  CHECK(shown("#") == "mistake: a value is expected, not '#'");
}

TEST_CASE("missing or unsuitable data is reported with the artifact", "[report]") {
  CHECK(shown("where(heads, drpo > 1)") ==
        "mistake: ablate.heads has no column 'drpo'; it has label, drop, module, right, count; did "
        "you mean 'drop'?");
  CHECK(shown("sum(heads, label)") == "mistake: sum() expects numbers as argument 1, not a text");
  CHECK(shown("first(heads).label * 2") == "mistake: '*' needs numbers, not the text 'A'");
  CHECK(shown("first(heads).label > 2") == "mistake: '>' compares a text with a number");
  CHECK(shown("heads.drop").starts_with("mistake: ablate.heads is a table, of which 'drop'"));
  CHECK(shown("evaluation.gready").starts_with("mistake: evaluate.metrics has no number 'gready'"));
  CHECK(shown("evaluation.by") == "mistake: 'evaluation.by' has several values: which of them?");
  CHECK(shown("count(picture)").starts_with("mistake: plot.svg (plot.svg): "));
  CHECK(shown("parse(failures, line, \"no name\")") ==
        "mistake: the pattern 'no name' has no name in braces");
  CHECK(shown("first(heads, 1.5)") == "mistake: first() expects a count as argument 2, not 1.5");
  CHECK(shown("count(1)") ==
        "mistake: count() expects a table or a list as argument 1, not a number");
  CHECK(shown("frist(heads)") == "mistake: there is no function 'frist'; did you mean 'first'?");
  CHECK(shown("where(heads)") == "mistake: where(table, condition) is expected, not 1 argument");
}

TEST_CASE("taking items of a missing value is a mistake", "[report]") {
  for (const char* call :
       {"rest(evaluation.none)", "first(evaluation.none, 2)", "last(evaluation.none, 2)"}) {
    CAPTURE(call);
    CHECK(shown(call).ends_with("expects a table or a list as argument 1, not nothing"));
  }
  CHECK(shown("evaluation[\"by\"]") == "mistake: 'by' has several values: which of them?");
}

TEST_CASE("hostile expressions are refused, not evaluated", "[report][long]") {
  CHECK(shown(std::string(100'000, '(')) == "mistake: an expression is nested too deeply");
  CHECK(shown(std::string(100'000, '-') + "1") == "mistake: an expression is nested too deeply");
  std::string sum = "1", nots = "true", fields = "a", text = "\"aaaaaaaaaa\"";
  for (int i = 0; i < 1000; ++i) sum += "+1", nots = "not " + nots, fields += "[1]";
  CHECK(shown(sum).starts_with("mistake: too many '+'"));
  CHECK(shown(nots) == "mistake: an expression is nested too deeply");
  CHECK(shown(fields) == "mistake: too many fields in a row");
  std::string counts = "1";
  for (int i = 0; i < 15; ++i) counts = "sum(heads, " + counts + ")";
  CHECK(shown(counts) == "mistake: the template takes too long: it computes too much");
  CHECK(shown("decimal(1, 1000000000)") == "1");
  std::string joined = "heads";
  for (int i = 0; i < 12; ++i) joined = "join(" + joined + ", heads, \"count\")";
  CHECK(shown("count(" + joined + ")").starts_with("mistake: the template takes too long"));
}

TEST_CASE("every function documents its call", "[report]") {
  for (const TemplateFunction& function : template_functions()) {
    CHECK(function.usage.starts_with(std::string(function.name()) + "("));
    CHECK(function.least <= function.most);
    CHECK(&function_of({Expression::Kind::kCall, std::string(function.name()), 0,
                        std::vector<Expression>(function.least)}) == &function);
  }
}

}  // namespace
}  // namespace headway::testing
