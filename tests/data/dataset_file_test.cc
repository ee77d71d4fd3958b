#include <catch2/catch_test_macros.hpp>

#include "lib/base/error.h"
#include "lib/data/dataset.h"

namespace headway {
namespace {

using Numbers = std::vector<std::int32_t>;

constexpr Token kPlus = 4, kPad = 5, kBos = 6, kEnd = 7;

Array numbers(std::vector<std::int64_t> shape, const Numbers& values) {
  return Array::of(std::move(shape), values);
}

// Sums with everything that a split can have; `train` has a second, shorter one.
TensorFile sums() {
  TensorFile file;
  file.metadata = {
      {"format", "headway dataset 1"},          {"vocabulary", R"(["0","1","2","3","+"])"},
      {"groups", R"({"carries":["0","1"]})"},   {"roles", R"(["a","b"])"},
      {"relations", R"({"next":[["b","a"]]})"}, {"generator", R"({"name":"sums"})"}};
  file.arrays["train.input"] = numbers({2, 3}, {1, kPlus, 2, 1, kPad, kPad});
  file.arrays["train.target"] = numbers({2, 2}, {3, kEnd, kEnd, kPad});
  file.arrays["train.group.carries"] = numbers({2}, {1, 0});
  file.arrays["train.input_roles"] = numbers({2, 3}, {0, -1, 1, 0, -1, -1});
  file.arrays["train.target_roles"] = numbers({2, 2}, {1, -1, -1, -1});
  file.arrays["train.input_positions"] = numbers({2, 3}, {0, 1, 2, 5, 0, 0});
  file.arrays["train.target_positions"] = numbers({2, 2}, {7, 8, 9, 0});
  file.arrays["train.input_asked"] = numbers({2, 3}, {0, 0, 1, 1, 0, 0});
  file.arrays["train.pairs.carry"] = numbers({1, 2}, {1, 0});
  for (const std::string name : {"val", "test", "test.long"}) {
    file.arrays[name + ".input"] = numbers({1, 1}, {2});
    file.arrays[name + ".target"] = numbers({1, 2}, {2, kEnd});
    file.arrays[name + ".group.carries"] = numbers({1}, {0});
    file.arrays[name + ".input_roles"] = numbers({1, 1}, {0});
    file.arrays[name + ".target_roles"] = numbers({1, 2}, {1, -1});
    file.arrays[name + ".input_positions"] = numbers({1, 1}, {0});
    file.arrays[name + ".target_positions"] = numbers({1, 2}, {1, 2});
    file.arrays[name + ".input_asked"] = numbers({1, 1}, {1});
  }
  return file;
}

// Two classes of sequences.
TensorFile labelled() {
  TensorFile file;
  file.metadata = {{"format", "headway dataset 1"},
                   {"vocabulary", R"(["0","1"])"},
                   {"classes", R"(["no","yes"])"}};
  for (const std::string name : {"train", "val", "test"}) {
    file.arrays[name + ".input"] = numbers({2, 1}, {0, 1});
    file.arrays[name + ".label"] = numbers({2}, {1, 0});
  }
  return file;
}

std::string mistake(const TensorFile& file) {
  try {
    dataset_from(file, "d");
  } catch (const Error& error) {
    return error.what();
  }
  return "accepted";
}

std::string mistake_with(const std::string& array, const Array& contents,
                         TensorFile file = sums()) {
  file.arrays[array] = contents;
  return mistake(file);
}

std::string mistake_without(const std::string& array) {
  TensorFile file = sums();
  file.arrays.erase(array);
  return mistake(file);
}

std::string mistake_with_metadata(const std::string& key, const std::string& value) {
  TensorFile file = sums();
  file.metadata[key] = value;
  return mistake(file);
}

TEST_CASE("a dataset is read from arrays with all that it declares", "[data]") {
  const Dataset data = dataset_from(sums(), "d");
  CHECK(data.splits.size() == 4);
  const Split& train = data.split("train");
  CHECK(train.kind() == TargetKind::kSequence);
  CHECK(sample_text(train, 0) == "1+2 -> 3");
  CHECK(sample_text(train, 1) == "1 -> ");  // an empty target, with its end marker
  CHECK(train.groups == std::vector<Numbers>{{1, 0}});
  CHECK(train.input_roles == Numbers{0, -1, 1, 0, -1, -1});
  CHECK(train.target_positions == Numbers{7, 8, 9, 0});
  CHECK(train.input_asked == Numbers{0, 0, 1, 1, 0, 0});
  CHECK(train.pairs.at("carry") == std::vector<SamplePair>{{1, 0}});
  CHECK(data.split("test.long").input_length == 1);
  CHECK(data.legend->relations == std::vector<Relation>{{"next", {{1, 0}}}});
  CHECK(data.generator == Json{{"name", "sums"}});
}

TEST_CASE("datasets survive a round trip through a file", "[data]") {
  for (const TensorFile& file : {sums(), labelled()}) {
    const Dataset data = dataset_from(file, "d");
    const TensorFile written = to_tensor_file(data);
    CHECK(written.arrays == file.arrays);
    CHECK(dataset_from(parse_safetensors(to_safetensors(written), "f"), "again") == data);
  }
}

TEST_CASE("labels are classes", "[data]") {
  const Dataset data = dataset_from(labelled(), "d");
  CHECK(data.kind() == TargetKind::kLabel);
  CHECK(data.split("val").labels == Numbers{1, 0});
  CHECK(sample_text(data.split("val"), 0) == "yes: 0");
  CHECK(mistake_with("val.label", numbers({2}, {1, 2}), labelled()) ==
        "d: array 'val.label': row 1: 2, but numbers here are 0..1");
  CHECK(mistake_with("val.label", numbers({2}, {-1, 0}), labelled()) ==
        "d: array 'val.label': row 0: -1, but numbers here are 0..1");
  CHECK(mistake_with("val.label", numbers({3}, {0, 0, 0}), labelled()) ==
        "d: array 'val.label': I32 [2] was expected, but it is I32 [3]");
  CHECK(mistake_with("val.target", numbers({2, 1}, {1, 1}), labelled()) ==
        "d: array 'val.target' is there, but the metadata has classes: samples have a label or a "
        "target");
}

TEST_CASE("a file that is no dataset is refused", "[data]") {
  CHECK(mistake(TensorFile()) ==
        "d: not a dataset (its metadata should say format = 'headway dataset 1')");
  CHECK(mistake_with_metadata("format", "headway dataset 2") ==
        "d: not a dataset (its metadata should say format = 'headway dataset 1')");
  TensorFile file = sums();
  file.metadata.erase("vocabulary");
  CHECK(mistake(file) == "d: metadata: there is no 'vocabulary', a list of words");
}

TEST_CASE("metadata that is no JSON, or of another form, is refused", "[data]") {
  CHECK(mistake_with_metadata("vocabulary", "0 1 2 +") ==
        "d: metadata: 'vocabulary' is no JSON: 0 1 2 +");
  CHECK(mistake_with_metadata("vocabulary", R"(["0","1","2","0","+"])") ==
        "d: metadata: 'vocabulary' has '0' twice");
  CHECK(mistake_with_metadata("roles", "{}") ==
        "d: metadata: 'roles' should be a list of texts, but is {}");
  CHECK(mistake_with_metadata("relations", R"({"next":[["b","c"]]})") ==
        "d: metadata: relation 'next': 'c' is none of the roles");
  CHECK(
      mistake_with_metadata("groups", std::string(300, '[')).starts_with("d: metadata: 'groups'"));
  CHECK(mistake_with_metadata("groups", R"({"carries":["0","1"],"carries":["2","3"]})") ==
        "d: 'carries' is twice in the metadata's 'groups'");
  CHECK(mistake_with_metadata("generator", "{") == "d: metadata: 'generator' is no JSON: {");
  CHECK(mistake_with_metadata("made_by", "no JSON at all") == "accepted");
}

TEST_CASE("a dataset that lacks an array, or has one of another type, is refused", "[data]") {
  CHECK(mistake_without("val.input").starts_with("d: no array 'val.input'; there are "));
  CHECK(mistake_without("val.group.carries").starts_with("d: no array 'val.group.carries'"));
  CHECK(mistake_with("val.target", Array::of({1, 1}, std::vector<float>(1))) ==
        "d: array 'val.target': I32 [*, *] was expected, but it is F32 [1, 1]");
  CHECK(mistake_with("val.target", numbers({1}, {1})) ==
        "d: array 'val.target': I32 [*, *] was expected, but it is I32 [1]");
}

TEST_CASE("an array that nothing reads is refused", "[data]") {
  CHECK(mistake_with("train.labels", numbers({2}, {0, 0})) ==
        "d: array 'train.labels' is not part of a dataset with this metadata");
  CHECK(mistake_with("train.label", numbers({2}, {0, 0})) ==
        "d: array 'train.label' is not part of a dataset with this metadata");
  CHECK(mistake_with("train.group.length", numbers({2}, {0, 0})) ==
        "d: array 'train.group.length' is not part of a dataset with this metadata");
  CHECK(mistake_with("more\x1b.target", numbers({1, 1}, {0})) ==
        "d: array 'more\uFFFD.target' is not part of a dataset with this metadata");
}

TEST_CASE("a group or pair may be called input", "[data]") {
  TensorFile file = sums();
  file.metadata["groups"] = R"({"carries":["0","1"],"input":["x"]})";
  for (const std::string name : {"val", "test", "test.long"})
    file.arrays[name + ".group.input"] = numbers({1}, {0});
  file.arrays["train.group.input"] = numbers({2}, {0, 0});
  file.arrays["train.pairs.input"] = numbers({1, 2}, {0, 1});
  CHECK(mistake(file) == "accepted");
  CHECK(dataset_from(file, "d").splits.size() == 4);
}

TEST_CASE("empty splits are refused, and shapes that no memory holds", "[data]") {
  CHECK(mistake_with("val.input", numbers({0, 5}, {})) ==
        "d: array 'val.input': [0, 5] holds no samples");
  CHECK(mistake_with("val.input", numbers({1, 0}, {})) ==
        "d: array 'val.input': [1, 0] holds no samples");
  CHECK(mistake_with("val.input", numbers({0, std::int64_t{1} << 62}, {})) ==
        "d: array 'val.input': [0, 4611686018427387904] holds no samples");
  CHECK(mistake_with("val.input", numbers({1, 65'537}, Numbers(65'537, 1))) ==
        "d: array 'val.input': rows of 65537 tokens; at most 65536 can be");
}

TEST_CASE("arrays of a split have as many rows", "[data]") {
  CHECK(mistake_with("val.input", numbers({2, 1}, {1, 1})) ==
        "d: array 'val.input' has 2 rows, but array 'val.target' has 1");
  CHECK(mistake_with("train.input_roles", numbers({2, 2}, {0, 0, 0, 0})) ==
        "d: array 'train.input_roles': I32 [2, 3] was expected, but it is I32 [2, 2]");
  CHECK(mistake_with("train.group.carries", numbers({1}, {0})) ==
        "d: array 'train.group.carries': I32 [2] was expected, but it is I32 [1]");
}

TEST_CASE("rows that are not sequences are refused, the first one by number", "[data]") {
  const auto second_input = [](Numbers second) {
    Numbers tokens = {1, kPlus, 2};
    tokens.insert(tokens.end(), second.begin(), second.end());
    TensorFile file = sums();
    for (const char* array : {"input_roles", "input_asked"})
      file.arrays[std::string("train.") + array].bytes = std::string(24, '\0');
    file.arrays["train.input"] = numbers({2, 3}, tokens);
    return mistake(file);
  };
  CHECK(second_input({3, kPlus, 1}) == "accepted");
  CHECK(second_input({3, 99, kPad}) ==
        "d: array 'train.input': row 1: 99 (?99) cannot stand in an input");
  CHECK(second_input({-1, kPlus, kPad}) ==
        "d: array 'train.input': row 1: -1 (?-1) cannot stand in an input");
  CHECK(second_input({kBos, 3, kPlus}) ==
        "d: array 'train.input': row 1: 6 (bos) cannot stand in an input");
  CHECK(second_input({3, kPlus, kEnd}) ==
        "d: array 'train.input': row 1: 7 (end) cannot stand in an input");
  CHECK(second_input({3, kPad, 1}) ==
        "d: array 'train.input': row 1: 1 (1) at column 2, after the end of the sequence");
  CHECK(second_input({kPad, kPad, kPad}) == "d: array 'train.input': row 1: it is empty");
}

TEST_CASE("targets may end before their row does, but only once", "[data]") {
  const auto second_target = [](Numbers second) {
    second.insert(second.begin(), {3, kEnd});
    return mistake_with("train.target", numbers({2, 2}, second));
  };
  CHECK(second_target({1, kEnd}) == "accepted");
  CHECK(second_target({kEnd, kPad}) == "accepted");
  // Else an answer that goes on would be right.
  const std::string endless =
      "d: array 'train.target': row 1: it has no end marker, but targets differ in length or in "
      "having one";
  CHECK(second_target({1, 2}) == endless);
  CHECK(second_target({1, kPad}) == endless);
  CHECK(second_target({kEnd, kEnd}) ==
        "d: array 'train.target': row 1: 7 (end) at column 1, after the end of the sequence");
  CHECK(second_target({kEnd, 2}) ==
        "d: array 'train.target': row 1: 2 (2) at column 1, after the end of the sequence");
  CHECK(second_target({kPad, kPad}) == "d: array 'train.target': row 1: it is empty");
  CHECK(second_target({kBos, 1}) ==
        "d: array 'train.target': row 1: 6 (bos) cannot stand in a target");
}

TEST_CASE("groups, roles, positions and questions out of range are refused", "[data]") {
  CHECK(mistake_with("train.group.carries", numbers({2}, {0, 2})) ==
        "d: array 'train.group.carries': row 1: 2, but numbers here are 0..1");
  CHECK(mistake_with("train.input_roles", numbers({2, 3}, {0, -1, 1, 2, -1, -1})) ==
        "d: array 'train.input_roles': row 1: 2, but numbers here are -1..1");
  CHECK(mistake_with("train.input_roles", numbers({2, 3}, {0, -2, 1, 0, -1, -1})) ==
        "d: array 'train.input_roles': row 0: -2, but numbers here are -1..1");
  CHECK(mistake_with("train.target_positions", numbers({2, 2}, {7, 65'536, 0, 0})) ==
        "d: array 'train.target_positions': row 0: 65536, but numbers here are 0..65535");
  CHECK(mistake_with("train.input_asked", numbers({2, 3}, {0, 0, 2, 1, 0, 0})) ==
        "d: array 'train.input_asked': row 0: 2, but numbers here are 0..1");
}

TEST_CASE("padding has no role and is not asked for", "[data]") {
  CHECK(mistake_with("train.input_roles", numbers({2, 3}, {0, -1, 1, 0, -1, 1})) ==
        "d: array 'train.input_roles': row 1: 1 at column 2, which is padding; it should be -1");
  CHECK(mistake_with("train.target_roles", numbers({2, 2}, {1, 0, 1, 0})) ==
        "d: array 'train.target_roles': row 1: 0 at column 1, which is padding; it should be -1");
  CHECK(mistake_with("train.input_asked", numbers({2, 3}, {0, 0, 1, 1, 1, 0})) ==
        "d: array 'train.input_asked': row 1: 1 at column 1, which is padding; it should be 0");
}

TEST_CASE("pairs are of samples that there are", "[data]") {
  CHECK(mistake_with("train.pairs.carry", numbers({2, 2}, {0, 1, 1, 2})) ==
        "d: array 'train.pairs.carry': row 1: 2, but numbers here are 0..1");
  CHECK(mistake_with("train.pairs.carry", numbers({1, 3}, {0, 1, 0})) ==
        "d: array 'train.pairs.carry': I32 [*, 2] was expected, but it is I32 [1, 3]");
  CHECK(mistake_with("train.pairs.carry", numbers({2, 2}, {0, 1, 1, 1})) ==
        "d: array 'train.pairs.carry': row 1: sample 1 is paired with itself");
  CHECK(mistake_with("train.pairs.carry", numbers({3, 2}, {0, 1, 1, 0, 0, 1})) ==
        "d: array 'train.pairs.carry': row 2: an earlier row has the same pair");
  CHECK(mistake_with("train.pairs.", numbers({1, 2}, {0, 1})) ==
        "d: array 'train.pairs.': the pairs have no name");
}

TEST_CASE("all splits declare the same", "[data]") {
  CHECK(mistake_without("val.input_asked") ==
        "d: 'val' and 'train' must have the same arrays: targets, roles, positions, asked");
  CHECK(mistake_without("test.target_roles") ==
        "d: 'test' and 'train' must have the same arrays: targets, roles, positions, asked");
  TensorFile file = sums();
  for (const std::string name : {"train", "val", "test", "test.long"})
    file.arrays.erase(name + ".target_positions");
  CHECK(mistake(file) == "d: 'test' has positions for its inputs or its targets, but not for both");
  file = sums();
  for (const char* array : {"target", "target_roles", "target_positions"})
    file.arrays.erase(std::string("val.") + array);
  CHECK(mistake(file) ==
        "d: 'val' and 'train' must have the same arrays: targets, roles, positions, asked");
  file = sums();
  file.arrays.erase("val.target");
  CHECK(mistake(file) == "d: array 'val.target_roles', but the split has no targets");
}

TEST_CASE("there are not thousands of splits", "[data]") {
  TensorFile file;
  file.metadata = {{"format", "headway dataset 1"}, {"vocabulary", R"(["0"])"}};
  for (int i = 0; i < 998; ++i) file.arrays[std::to_string(i) + ".input"] = numbers({1, 1}, {0});
  CHECK(mistake(file) == "d: 1001 splits; at most 1000 can be");
}

}  // namespace
}  // namespace headway
