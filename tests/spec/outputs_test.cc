// `outs`: files that a stage of free ports declares.
#include <catch2/catch_test_macros.hpp>

#include "tests/support/loading.h"

namespace headway::testing {
namespace {

// A stage whose command writes outputs a and b, of the given files.
std::string writing(const std::string& outs) {
  return "stages:\n  s:\n    uses: shell\n    outs: {" + outs +
         "}\n    with: {run: 'x {out.a} {out.b}'}\n";
}

std::string file_of(const std::string& name) {
  return load(writing("a: '" + name + "', b: zzz")).stages[0].outputs.at(0).file;
}
std::string refused_output(const std::string& name) {
  return mistakes("stages:\n  s:\n    uses: shell\n    outs: {a: " + name +
                  "}\n    with: {run: x}\n");
}
// Outputs a and b, of which b is invalid.
std::string overlapping(const std::string& outs) {
  return mistakes("stages:\n  s:\n    uses: shell\n    outs: {" + outs +
                  "}\n    with: {run: 'x {out.a}'}\n");
}

TEST_CASE("outputs have names and files, which may be in folders", "[spec]") {
  CHECK(file_of("x.txt") == "x.txt");
  CHECK(file_of("sub/x.txt") == "sub/x.txt");
  CHECK(file_of("with space é") == "with space é");
  CHECK(file_of("..a") == "..a");
}

TEST_CASE("an output's path is normalised", "[spec]") {
  CHECK(file_of("./x") == "x");
  CHECK(file_of("a//b") == "a/b");
  CHECK(file_of("a/../b") == "b");
  CHECK(file_of("folder/") == "folder");
}

TEST_CASE("an output that leaves the stage's folder is refused", "[spec]") {
  for (const char* name : {"../x", "..", ".", "/etc/passwd", "a/../../b", "''", "./", "a/.."}) {
    CAPTURE(name);
    const std::string text = refused_output(name);
    CHECK(text.starts_with("p.yaml:4:15: stage 's': output 'a': '"));
    CHECK(text.ends_with("' is not a file inside the stage's folder"));
  }
}

TEST_CASE("an output with a newline or a NUL in its name is refused", "[spec]") {
  CHECK(refused_output("\"a\\nb\"") ==
        "p.yaml:4:15: stage 's': output 'a': 'a\\nb' is not a file inside the stage's folder");
  CHECK(refused_output("\"a\\0b\"") ==
        "p.yaml:4:15: stage 's': output 'a': 'a�b' is not a file inside the stage's folder");
}

TEST_CASE("outputs that overlap are refused", "[spec]") {
  CHECK(overlapping("a: x, b: x") ==
        "p.yaml:4:21: stage 's': outputs 'a' and 'b' overlap: 'x' and 'x'");
  CHECK(overlapping("a: x, b: ./x") ==
        "p.yaml:4:21: stage 's': outputs 'a' and 'b' overlap: 'x' and 'x'");
  CHECK(overlapping("a: d, b: d/x") ==
        "p.yaml:4:21: stage 's': outputs 'a' and 'b' overlap: 'd' and 'd/x'");
  CHECK(overlapping("a: d/x, b: d") ==
        "p.yaml:4:23: stage 's': outputs 'a' and 'b' overlap: 'd/x' and 'd'");
  CHECK(mistakes(writing("a: d/x, b: d/y")) == "");
  CHECK(mistakes(writing("a: d, b: dd/x")) == "");
}

TEST_CASE("an output's name is a plain word, and its file is text", "[spec]") {
  CHECK(mistakes("stages:\n  s: {uses: shell, outs: {a.b: x}, with: {run: x}}\n") ==
        "p.yaml:2:27: stage 's': 'a.b' is not an output's name: use letters, digits, '_' and '-'");
  CHECK(mistakes("stages:\n  s: {uses: shell, outs: {a: [x]}, with: {run: x}}\n") ==
        "p.yaml:2:30: stage 's': output 'a' expects a file's name, got a list");
  CHECK(mistakes("stages:\n  s: {uses: shell, outs: {a: }, with: {run: x}}\n") ==
        "p.yaml:2:27: stage 's': output 'a' expects a file's name, got nothing");
}

TEST_CASE("outputs are a map", "[spec]") {
  CHECK(mistakes("stages:\n  s: {uses: shell, outs: x.txt, with: {run: x}}\n") ==
        "p.yaml:2:26: stage 's': 'outs' is a map from names to files, got the text 'x.txt'");
}

TEST_CASE("a stage type with declared outputs takes no others", "[spec]") {
  CHECK(mistakes("stages:\n  s: {uses: make-data, outs: {a: x}}\n") ==
        "p.yaml:2:30: stage 's': stage type 'make-data' has outputs of its own; 'outs' does not "
        "apply");
  CHECK(load("stages:\n  s: {uses: make-data}\n").stages[0].outputs.at(0).file == "data.bin");
}

}  // namespace
}  // namespace headway::testing
