// `in: {data: ./data/rows.csv}`: the user's own files as inputs.
#include <catch2/catch_test_macros.hpp>

#include "tests/support/loading.h"

namespace headway::testing {
namespace {

// A folder with a pipeline of one stage, which reads `in`.
struct Reader {
  explicit Reader(const std::string& in, const std::string& uses = "shell") {
    const std::string shell = ", outs: {o: o.txt}, with: {run: 'cat {in.x} > {out.o}'}";
    folder.write("p.yaml", "stages:\n  a: {uses: " + uses + ", in: {x: " + in + "}" +
                               (uses == "shell" ? shell : "") + "}\n");
    folder.write("data/b.csv", "b\n");
    folder.write("data/a.csv", "a\n");
    folder.write("data/.hidden.csv", "h\n");
    folder.write("data/notes.txt", "n\n");
    folder.write("runs/one/log.csv", "1\n");
    folder.write("runs/two/log.csv", "2\n");
    folder.write("runs/file.txt", "no folder\n");
  }
  std::vector<std::string> paths() const { return texts(&InputFiles::File::path); }
  std::vector<std::string> items() const { return texts(&InputFiles::File::item); }
  std::string mistakes() const { return mistakes_in(folder, "p.yaml"); }

  TemporaryFolder folder;

 private:
  std::vector<std::string> texts(std::string InputFiles::File::*member) const {
    const PipelineSpec pipeline = load_in(folder, "p.yaml");
    std::vector<std::string> found;
    for (const Source& source : stage(pipeline, "a").inputs.at(0).sources) {
      for (const InputFiles::File& file : source.files->files) found.push_back(file.*member);
    }
    return found;
  }
};

using Texts = std::vector<std::string>;

}  // namespace

TEST_CASE("an input with a slash is a file or folder beside the pipeline", "[spec]") {
  CHECK(Reader("./data/a.csv").paths() == Texts{"./data/a.csv"});
  CHECK(Reader("data/a.csv").paths() == Texts{"data/a.csv"});
  CHECK(Reader("./data/").mistakes() == "");
  CHECK(Reader("[./data/b.csv, ./data/a.csv]").items() == Texts{"b", "a"});
}

TEST_CASE(
    "a pattern stands for all files that match it, sorted, and names them by what it leaves open",
    "[spec]") {
  const Reader reader("'./data/*.csv'");
  CHECK(reader.paths() == Texts{"./data/a.csv", "./data/b.csv"});
  CHECK(reader.items() == Texts{"a", "b"});
  CHECK(Reader("'./data/?.csv'").items() == Texts{"a", "b"});
  CHECK(Reader("'./runs/*/log.csv'").paths() == Texts{"./runs/one/log.csv", "./runs/two/log.csv"});
  CHECK(Reader("'./runs/*/log.csv'").items() == Texts{"one", "two"});
  CHECK(Reader("'./runs/*/l*.csv'").items() == Texts{"one-og", "two-og"});
}

TEST_CASE("brackets in a pattern are letters like others", "[spec]") {
  CHECK_FALSE(Reader("'./data/[ab]*.csv'").mistakes().empty());  // no file is called so
  const Reader reader("'./data/[x]*.csv'");
  reader.folder.write("data/[x]1.csv", "1\n");
  CHECK(reader.paths() == Texts{"./data/[x]1.csv"});
  CHECK(reader.items() == Texts{"1"});
}

TEST_CASE("a file that is missing, or a pattern without a match, is reported where it is named",
          "[spec]") {
  CHECK(Reader("./data/c.csv").mistakes() ==
        "p.yaml:2:28: stage 'a': input 'x': no such file: ./data/c.csv");
  CHECK(Reader("'./data/*.json'").mistakes() ==
        "p.yaml:2:28: stage 'a': input 'x': no file matches ./data/*.json");
  CHECK(Reader("'./nowhere/*.csv'").mistakes() ==
        "p.yaml:2:28: stage 'a': input 'x': no file matches ./nowhere/*.csv");
  CHECK(Reader("'./**/log.csv'").mistakes() ==
        "p.yaml:2:28: stage 'a': input 'x': './**/log.csv': there is no '**'; write one '*' for "
        "each folder");
}

TEST_CASE("an input for one artifact takes a file but no pattern, not even with one match",
          "[spec]") {
  const auto train = [](const std::string& in) {
    Reader reader("./data/a.csv");
    reader.folder.write("p.yaml", "stages:\n  t: {uses: train-model, in: {data: " + in + "}}\n");
    return reader.mistakes();
  };
  CHECK(train("./data/a.csv") == "");
  CHECK(train("'./data/a*.csv'") ==
        "p.yaml:2:37: stage 't': input 'data' takes one artifact, not several");
}

TEST_CASE("needs are stages, not files", "[spec]") {
  CHECK(mistakes("stages:\n  a: {uses: make-data, needs: [./p.yaml]}\n") ==
        "p.yaml:2:32: stage 'a': 'needs': './p.yaml' is a path; needs are about stages");
}

}  // namespace headway::testing
