#include "lib/sweep/axis.h"

#include <catch2/catch_test_macros.hpp>

namespace headway {
namespace {

SourceLocation at(int line) {
  return {SourceLocation::intern("sweep.yaml"), line, 9};
}

Value text_value(const std::string& text) {
  return {text, at(3)};
}

Json values_of(const Axis& axis) {
  Json values = Json::array();
  for (const Value& value : axis.values) values.push_back(to_json(value));
  return values;
}

// The points as they would be written: "16 32 64"; a number with a dot is a real.
std::string points(const std::string& range, bool whole = false) {
  Diagnostics diagnostics;
  const std::optional<Axis> axis =
      read_axis("train.lr", at(3), text_value(range), whole, diagnostics);
  if (!axis) return diagnostics.text();
  std::string text;
  for (const Value& value : axis->values) text += (text.empty() ? "" : " ") + value.plain();
  return text;
}

std::string mistake(const Value& declared, bool whole = false) {
  Diagnostics diagnostics;
  const std::optional<Axis> axis = read_axis("train.lr", at(2), declared, whole, diagnostics);
  CHECK(axis.has_value() == diagnostics.empty());
  return diagnostics.text();
}

std::string range_mistake(const std::string& range, bool whole = false) {
  const std::string text = mistake(text_value(range), whole);
  const std::string place = "sweep.yaml:3:9: axis 'train.lr': ";
  return text.starts_with(place) ? text.substr(place.size()) : text;
}

TEST_CASE("a list of any values is an axis", "[axis]") {
  const Json list = {1, 0.5, "adam", true, nullptr, {1, 2}, {{"d", 64}}};
  Diagnostics diagnostics;
  const auto axis = read_axis("model.size", at(2), from_json(list, at(3)), false, diagnostics);
  REQUIRE(axis);
  CHECK(axis->path == "model.size");
  CHECK(axis->location.line == 2);
  CHECK(values_of(*axis) == list);
  CHECK_FALSE(axis->range);
}

TEST_CASE("a repeated value in a list is named", "[axis]") {
  CHECK(mistake(from_json({1, 2, 1}, at(3))) ==
        "sweep.yaml:3:9: axis 'train.lr': the value 1 is listed twice");
  CHECK(mistake(from_json({"adam", "sgd", "adam"}, at(3))) ==
        "sweep.yaml:3:9: axis 'train.lr': the value adam is listed twice");
  CHECK(mistake(from_json(Json::array({{1, 2}, {1, 2}}), at(3))) ==
        "sweep.yaml:3:9: axis 'train.lr': the value [1,2] is listed twice");
  CHECK(mistake(from_json({1, 1.0}, at(3))).ends_with("the value 1.0 is listed twice"));
  CHECK(mistake(from_json({1, "1", 1.5, true}, at(3))).empty());
}

TEST_CASE("what is neither a list nor a range is not an axis", "[axis]") {
  CHECK(mistake(from_json(Json::array(), at(3))) ==
        "sweep.yaml:3:9: axis 'train.lr': the list is empty; give it at least one value");
  CHECK(mistake(from_json(3, at(3))) ==
        "sweep.yaml:3:9: axis 'train.lr': expected a list of values or a range such as "
        "log:1e-4..1e-1:4, got the integer 3");
  CHECK(mistake(from_json(Json::object(), at(3))).ends_with("got a map"));
  CHECK(mistake(from_json(nullptr, at(3))).ends_with("got nothing"));
  CHECK(range_mistake("adam") ==
        "'adam' is neither a list nor a range; write [adam], or a range such as log:1e-4..1e-1:4 "
        "or int:1..8");
}

TEST_CASE("a log range has equal ratios, and a lin range equal distances", "[axis]") {
  CHECK(points("log:1e-4..1e-1:4") == "0.0001 0.001 0.01 0.1");
  CHECK(points("log:1e-3..1e-2:3") == "0.001 0.003162 0.01");
  CHECK(points("lin:0..1:5") == "0.0 0.25 0.5 0.75 1.0");
  CHECK(points("lin:-0.1..0.2:4") == "-0.1 0.0 0.1 0.2");
  CHECK(points(" lin : 0 .. 1 : 2 ") == "0 1");
}

TEST_CASE("points are integers if all are and the ends are written as integers", "[axis]") {
  CHECK(points("log:16..128:4") == "16 32 64 128");
  CHECK(points("log:1..1000:4") == "1 10 100 1000");
  CHECK(points("lin:0..100:5") == "0 25 50 75 100");
  CHECK(points("lin:0.0..100:5") == "0.0 25.0 50.0 75.0 100.0");
  CHECK(points("log:1..100:4") == "1.0 4.642 21.54 100.0");
}

TEST_CASE("points of an integer parameter are rounded, and duplicates dropped", "[axis]") {
  CHECK(points("log:1..100:4", true) == "1 5 22 100");
  CHECK(points("lin:1..4:10", true) == "1 2 3 4");
  CHECK(points("lin:10000..10003:4", true) == "10000 10001 10002 10003");
  CHECK(points("log:10..1e6:3", true) == "10 3162 1000000");
}

TEST_CASE("ends stay as given, and close points keep their digits", "[axis]") {
  CHECK(points("lin:0.123456..0.923456:3") == "0.123456 0.5235 0.923456");
  CHECK(points("lin:1000..1010:5") == "1000.0 1002.5 1005.0 1007.5 1010.0");
  CHECK(points("lin:1..1.0002:3") == "1.0 1.0001 1.0002");
  CHECK(points("lin:-1e308..1e308:3") == "-1e+308 0.0 1e+308");
  CHECK(points("log:1e-300..1e300:3") == "1e-300 1.0 1e+300");
}

TEST_CASE("an int range goes in steps, not beyond its end", "[axis]") {
  CHECK(points("int:1..4") == "1 2 3 4");
  CHECK(points("int:2..9:3") == "2 5 8");
  CHECK(points("int:-2..2:2") == "-2 0 2");
  CHECK(points("int:3..3") == "3");
  CHECK(points("int:12345..12347") == "12345 12346 12347");
}

TEST_CASE("a range gives a random search its ends", "[axis]") {
  Diagnostics diagnostics;
  const auto read = [&](const std::string& range, bool whole) {
    return *read_axis("x", at(1), text_value(range), whole, diagnostics);
  };
  const Axis free = read("log:1e-4..0.1", false);
  CHECK(free.values.empty());
  REQUIRE(free.range);
  CHECK(free.range->logarithmic);
  CHECK(free.range->low == 1e-4);
  CHECK(free.range->high == 0.1);
  CHECK_FALSE(free.range->whole);
  const Axis huge = read("int:1..1000000", false);
  CHECK(huge.values.empty());
  CHECK(huge.range->whole);
  CHECK(read("int:1..10000", false).values.size() == 10000);
  CHECK(read("lin:1..4:10", true).values.size() == 4);
  CHECK(read("lin:1..4", true).range->whole);
  CHECK(diagnostics.empty());
}

TEST_CASE("mistakes in a range explain how to write it", "[axis]") {
  CHECK(range_mistake("lgo:1..2") ==
        "unknown scale 'lgo' of a range; there are log, lin and int; did you mean 'log'?");
  CHECK(range_mistake("log:1-10") ==
        "'log:1-10' is no range: its ends have two dots between them; write log:LOW..HIGH or "
        "log:LOW..HIGH:COUNT");
  CHECK(range_mistake("int:1...8") ==
        "'int:1...8' is no range: its ends have two dots between them; write int:LOW..HIGH or "
        "int:LOW..HIGH:STEP");
  CHECK(range_mistake("lin:1..2:3:4") ==
        "'lin:1..2:3:4' is no range; write lin:LOW..HIGH or lin:LOW..HIGH:COUNT");
  CHECK(range_mistake("lin:1..2:").starts_with("'lin:1..2:' is no range"));
  CHECK(range_mistake("lin:a..2") == "the low end 'a' is not a number");
  CHECK(range_mistake("lin:1..") == "the high end '' is not a number");
  CHECK(range_mistake("lin:1..inf") == "the high end 'inf' is not a number");
  CHECK(range_mistake("lin:1..1e999") == "the high end '1e999' is too large or too small");
  CHECK(range_mistake("log:0..1:3") == "the low end 0 of a log range is not above 0; use lin");
  CHECK(range_mistake("lin:2..1:3") == "the high end 1 is below the low end 2");
  CHECK(range_mistake("lin:1..1:3") == "the high end 1 is the same as the low end 1");
  CHECK(range_mistake("int:2..1") == "the high end 1 is below the low end 2");
  CHECK(range_mistake("lin:1..2:1") == "1 points; a range needs at least 2");
  CHECK(range_mistake("lin:1..2:10001") == "10001 points; at most 10000 are allowed");
  CHECK(range_mistake("lin:1..2:2.5") == "the number of points '2.5' is not a whole number");
  CHECK(range_mistake("lin:1..2:x") == "the number of points 'x' is not a number");
  CHECK(range_mistake("int:0..8:0") == "the step 0 is below 1");
  CHECK(range_mistake("int:1..1000000:2") ==
        "500000 points; at most 10000 are allowed, so take a larger step");
  CHECK(range_mistake("int:0.5..8") ==
        "the low end '0.5' is not a whole number; use lin for numbers between");
  CHECK(range_mistake("int:0..1e17") == "the high end '1e17' is too large");
  CHECK(range_mistake("log:0.001..0.1:3", true) ==
        "the low end '0.001' is not a whole number, but the parameter is an integer");
}

TEST_CASE("numbers are rounded to significant digits", "[axis]") {
  CHECK(rounded_to_digits(0.00123456) == 0.001235);
  CHECK(rounded_to_digits(-98765.4) == -98770);
  CHECK(rounded_to_digits(0) == 0);
  CHECK(rounded_to_digits(123456, 2) == 120000);
}

}  // namespace
}  // namespace headway
