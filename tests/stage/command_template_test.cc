// Files that a command names.
#include "lib/stage/command_template.h"

#include <catch2/catch_test_macros.hpp>

namespace headway::testing {
namespace {

using Texts = std::vector<std::string>;

Texts words(const std::string& command, const ValueList& ignore = {}) {
  return file_words(command, {ignore, {}});
}

}  // namespace

TEST_CASE("words with a dot or a slash may be files", "[stage]") {
  CHECK(words("python3 tools/train.py --config small.json") ==
        Texts{"tools/train.py", "small.json"});
  CHECK(words("./fit 'my.csv' \"b.csv\"") == Texts{"./fit", "my.csv", "b.csv"});
  CHECK(words("x --config=small.json; (cat a.txt|sort)<b.txt") ==
        Texts{"small.json", "a.txt", "b.txt"});
  CHECK(words("cat a.txt a.txt") == Texts{"a.txt"});
}

TEST_CASE("the script of an interpreter may have any name", "[stage]") {
  CHECK(words("sh build fast") == Texts{"build"});
  CHECK(words("python3 run") == Texts{"run"});
  CHECK(words("awk -f program") == Texts{"program"});
}

TEST_CASE("what a command redirects its output to is no such file, nor what has placeholders",
          "[stage]") {
  CHECK(words("date >> log.txt; wc -l < log.txt > {out.n} 2>&1").empty());
  CHECK(words("cat {in.x} $HOME/a.txt *.csv").empty());
  CHECK(words("cat a.txt | tee -a log.txt | wc x.txt") == Texts{"a.txt", "x.txt"});
}

TEST_CASE("files may be ignored", "[stage]") {
  CHECK(words("cp latest.csv other.csv", {{std::string("latest.csv"), {}}}) == Texts{"other.csv"});
}

}  // namespace headway::testing
