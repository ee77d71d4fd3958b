#include "lib/report/pieces.h"

#include <catch2/catch_test_macros.hpp>
#include <cmath>
#include <string>
#include <vector>

#include "lib/base/error.h"
#include "lib/base/json.h"

namespace headway {
namespace {

// Two problems of three input tokens and two answer tokens.
TensorFile small_maps() {
  const auto tokens = [](std::vector<std::int32_t> ids) {
    const auto length = static_cast<std::int64_t>(ids.size()) / 2;
    return Array::of({2, length}, std::span<const std::int32_t>(ids));
  };
  const auto weights = [](std::int64_t heads, std::int64_t queries, std::int64_t keys) {
    std::vector<float> values(static_cast<std::size_t>(2 * heads * queries * keys), 0.25F);
    values[0] = 0.123456F;
    values.back() = 1.0F;
    return Array::of({2, heads, queries, keys}, std::span<const float>(values));
  };
  TensorFile maps;
  maps.arrays["inputs"] = tokens({1, 10, 2, 3, 10, 4});
  maps.arrays["decoder_inputs"] = tokens({12, 0, 12, 0});
  maps.arrays["targets"] = tokens({0, 3, 0, 7});
  maps.arrays["predictions"] = tokens({0, 3, 0, 8});
  maps.arrays["decoder.0.cross"] = weights(1, 2, 3);
  maps.arrays["decoder.0.self"] = weights(2, 2, 2);
  maps.arrays["encoder.10.self"] = weights(1, 3, 3);
  maps.arrays["encoder.2.self"] = weights(2, 3, 3);
  maps.metadata["problems"] = R"(["1+2=03","3+4=07"])";
  maps.metadata["tokens"] = R"(["0","1","2","3","4","5","6","7","8","9","+","pad","bos","end"])";
  maps.metadata["heads"] =
      R"({"decoder.0.cross":[3],"decoder.0.self":[0,1],"encoder.10.self":[0],"encoder.2.self":[1,5]})";
  return maps;
}

Json explorer_data(const TensorFile& maps) {
  const std::string html = explorer_piece(maps, "explorer", {}).html;
  const std::string opening = "<script type=\"application/json\">";
  const std::size_t begin = html.find(opening) + opening.size();
  return Json::parse(html.substr(begin, html.find("</script>", begin) - begin));
}

std::string explorer_mistake(const TensorFile& maps) {
  try {
    explorer_piece(maps, "explorer", {});
    return "";
  } catch (const Error& error) {
    return error.what();
  }
}

TEST_CASE("the explorer has every site in order, under the names that figures use", "[explorer]") {
  const Json data = explorer_data(small_maps());
  std::vector<std::string> labels, modules;
  for (const Json& site : data.at("sites")) {
    labels.push_back(site.at("label"));
    modules.push_back(site.at("module"));
  }
  CHECK(labels == std::vector<std::string>{"Encoder L2", "Encoder L10", "Decoder Self L0",
                                           "Decoder Cross L0"});
  CHECK(modules ==
        std::vector<std::string>{"Encoder self", "Encoder self", "Decoder self", "Decoder cross"});
}

TEST_CASE("heads of a pruned model keep their original numbers", "[explorer]") {
  const Json data = explorer_data(small_maps());
  CHECK(data.at("sites")[0].at("heads") == Json({1, 5}));
  CHECK(data.at("sites")[3].at("heads") == Json::array({3}));
  TensorFile maps = small_maps();
  maps.metadata.erase("heads");
  CHECK(explorer_data(maps).at("sites")[0].at("heads") == Json({0, 1}));
}

TEST_CASE("queries and keys are the tokens that a site reads", "[explorer]") {
  const Json data = explorer_data(small_maps());
  const auto axes = [&](std::size_t site) {
    return data.at("sites")[site].at("queries").get<std::string>() + " " +
           data.at("sites")[site].at("keys").get<std::string>();
  };
  CHECK(axes(0) == "inputs inputs");
  CHECK(axes(2) == "decoder_inputs decoder_inputs");
  CHECK(axes(3) == "decoder_inputs inputs");
  const Json& problem = data.at("problems")[1];
  CHECK(problem.at("text") == "3+4=07");
  CHECK(problem.at("inputs") == Json({"3", "+", "4"}));
  CHECK(problem.at("decoder_inputs") == Json({"BOS", "0"}));
  CHECK(problem.at("targets") == Json({"0", "7"}));
  CHECK(problem.at("predictions") == Json({"0", "8"}));
}

// Of each of these kinds, an encoder or a decoder alone: weights and tokens of its own.
TensorFile maps_of_one_stack(const std::string& site, const std::string& tokens) {
  TensorFile maps;
  maps.arrays[site] = Array::of({2, 1, 3, 3}, std::vector<float>(18, 0.25F));
  maps.arrays[tokens] = Array::of({2, 3}, std::vector<std::int32_t>{0, 1, 2, 2, 1, 3});
  maps.metadata["problems"] = R"(["first","second"])";
  maps.metadata["tokens"] = R"(["a","two words","c","pad","bos","end"])";
  return maps;
}

TEST_CASE("a classifier has its answers and the labels, and no tokens that it does not have",
          "[explorer]") {
  TensorFile maps = maps_of_one_stack("encoder.0.self", "inputs");
  maps.arrays["input_lengths"] = Array::of({2}, std::vector<std::int32_t>{3, 2});
  maps.metadata["answers"] = R"(["x","y"])";
  maps.metadata["wanted"] = R"(["x","x"])";
  maps.metadata["confidences"] = R"([1,0.625])";
  const Json data = explorer_data(maps);
  CHECK(data.at("problems")[1] == Json({{"text", "second"},
                                        {"inputs", {"c", "two words"}},
                                        {"answer", "y"},
                                        {"wanted", "x"},
                                        {"confidence", 0.625}}));
  CHECK(data.at("sites")[0].at("weights")[0][0].size() == 9);
  CHECK(data.at("sites")[0].at("weights")[1][0].size() == 4);  // padding is cut off
}

TEST_CASE("a decoder alone has what it predicts next", "[explorer]") {
  TensorFile maps = maps_of_one_stack("decoder.0.self", "decoder_inputs");
  maps.arrays["next"] = Array::of({2, 3}, std::vector<std::int32_t>{-1, 2, 5, -1, -1, -1});
  maps.arrays["next_wanted"] = Array::of({2, 3}, std::vector<std::int32_t>{-1, 2, 0, -1, -1, -1});
  const Json data = explorer_data(maps);
  CHECK(data.at("problems")[0] == Json({{"text", "first"},
                                        {"decoder_inputs", {"a", "two words", "c"}},
                                        {"next", {nullptr, "c", "END"}},
                                        {"next_wanted", {nullptr, "c", "a"}}}));
  CHECK(data.at("sites")[0].at("label") == "Decoder Self L0");
}

TEST_CASE("without token texts the explorer shows numbers", "[explorer]") {
  TensorFile maps = small_maps();
  maps.metadata.erase("tokens");
  const Json problem = explorer_data(maps).at("problems")[1];
  CHECK(problem.at("inputs") == Json({"3", "10", "4"}));
  CHECK(problem.at("predictions") == Json({"0", "8"}));
}

TEST_CASE("of too many weights, the page has those of the first problems", "[explorer]") {
  const auto maps_of = [](std::int64_t problems) {  // a million weights each
    TensorFile maps;
    maps.arrays["encoder.0.self"] =
        Array::of({problems, 1, 1000, 1000},
                  std::vector<float>(static_cast<std::size_t>(problems) * 1'000'000));
    maps.arrays["inputs"] = Array::of(
        {problems, 1000}, std::vector<std::int32_t>(static_cast<std::size_t>(problems) * 1000));
    maps.metadata["problems"] =
        Json(std::vector<std::string>(static_cast<std::size_t>(problems), "a")).dump();
    return maps;
  };
  const Piece cut = explorer_piece(maps_of(4), "e", {});
  CHECK(
      cut.html.find("<p class=\"detail\">Of 4 problems, the page has room for the first 3.</p>") !=
      std::string::npos);
  CHECK(cut.markdown.find("every head on the first 3 of 4 problems;") != std::string::npos);
  CHECK(explorer_piece(maps_of(3), "e", {}).html.find("has room") == std::string::npos);
  TensorFile large = maps_of(1);
  for (const char* name : {"encoder.1.self", "encoder.2.self", "encoder.3.self"})
    large.arrays[name] = large.arrays["encoder.0.self"];
  CHECK(explorer_mistake(large) ==
        "a problem has 4000000 attention weights, and a page has room for 3000000");
}

TEST_CASE("weights have four decimals, per problem and head", "[explorer]") {
  const Json data = explorer_data(small_maps());
  CHECK(data.at("scale") == 10000);
  const Json& weights = data.at("sites")[0].at("weights");
  REQUIRE(weights.size() == 2);
  REQUIRE(weights[0].size() == 2);
  CHECK(weights[0][0] == Json({1235, 2500, 2500, 2500, 2500, 2500, 2500, 2500, 2500}));
  CHECK(weights[1][1].back() == 10000);
}

TEST_CASE("sites without heads are left out of the explorer", "[explorer]") {
  TensorFile maps = small_maps();
  maps.arrays["encoder.2.self"] = Array::of({2, 0, 3, 3}, std::span<const float>());
  maps.metadata["heads"] =
      R"({"decoder.0.cross":[3],"decoder.0.self":[0,1],"encoder.10.self":[0]})";
  CHECK(explorer_data(maps).at("sites").size() == 3);
}

TEST_CASE("without JavaScript the explorer points to the figures", "[explorer]") {
  const Piece piece =
      explorer_piece(small_maps(), "explorer-maps", {"stage `maps`\n", "stage maps\n"});
  CHECK(piece.html.starts_with("<section class=\"explorer\" id=\"explorer-maps\" "));
  CHECK(piece.html.find("<p class=\"needs-script\">") != std::string::npos);
  CHECK(piece.html.ends_with("</script>\n<p class=\"origin\">stage maps</p>\n</section>\n"));
  CHECK(piece.markdown.starts_with("The page (`index.html`) shows every head on every problem"));
  CHECK(piece.markdown.ends_with("\n\nstage `maps`\n"));
}

TEST_CASE("hostile tokens and problems cannot escape from the explorer's data", "[explorer]") {
  TensorFile maps = small_maps();
  maps.metadata["problems"] = R"(["</script><script>alert(1)</script>","\"\n<!--"])";
  maps.metadata["tokens"] = Json(std::vector<std::string>(13, "</script><img src=x>")).dump();
  maps.metadata["answers"] = maps.metadata["wanted"] = R"(["</script><img src=x>","<!--"])";
  const std::string html = explorer_piece(maps, "a\"><script>", {}).html;
  const auto count = [&](std::string_view part) {
    std::size_t found = 0;
    for (std::size_t at = 0; (at = html.find(part, at)) != std::string::npos; ++at) ++found;
    return found;
  };
  CHECK(count("<script") == 1);
  CHECK(count("</script") == 1);
  CHECK(count("<img") == 0);
  CHECK(count("<!--") == 0);
  CHECK(explorer_data(maps).at("problems")[0].at("text") == "</script><script>alert(1)</script>");
}

TEST_CASE("malformed maps are reported with the reason", "[explorer]") {
  TensorFile maps = small_maps();
  maps.metadata["problems"] = "[1]";
  CHECK(explorer_mistake(maps) ==
        "metadata 'problems' must be a JSON list of texts, with at least one");
  maps = small_maps();
  maps.metadata["heads"] = R"({"encoder.2.self":[1]})";
  CHECK(explorer_mistake(maps) ==
        "metadata 'heads' must be 2 numbers for 'encoder.2.self', not [1]");
  maps = small_maps();
  for (const char* site :
       {"decoder.0.cross", "decoder.0.self", "encoder.10.self", "encoder.2.self"})
    maps.arrays.erase(site);
  CHECK(explorer_mistake(maps) ==
        "no attention maps: an array such as 'encoder.0.self' is expected");
  maps = small_maps();
  maps.arrays["encoder.2.self"].shape = {2, 1, 3, 6};
  CHECK(explorer_mistake(maps).find("encoder.2.self") != std::string::npos);
  maps = small_maps();
  maps.arrays["encoder.2.self"] =
      Array::of({2, 2, 3, 3}, std::span<const float>(std::vector<float>(36, NAN)));
  CHECK(explorer_mistake(maps) ==
        "attention 'encoder.2.self' has a weight nan, which is not between 0 and 1");
}

TEST_CASE("the same maps give the same explorer", "[explorer]") {
  CHECK(explorer_piece(small_maps(), "e", {}).html == explorer_piece(small_maps(), "e", {}).html);
}

}  // namespace
}  // namespace headway
