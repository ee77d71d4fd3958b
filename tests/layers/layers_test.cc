// The plan of the house (lib/README.md): which room may depend on which, which library is used
// where, and which words the engine must not use.
#include <algorithm>
#include <catch2/catch_test_macros.hpp>
#include <fstream>
#include <iterator>
#include <map>
#include <regex>
#include <set>

#include "lib/base/text.h"
#include "stages/registry.h"
#include "stages/study.h"
#include "tests/layers/source_scan.h"

namespace headway::layers {
namespace {

using Names = std::vector<std::string>;

const std::filesystem::path kRoot = HEADWAY_SOURCE_DIR;
const Names kStudies = split(HEADWAY_STUDIES, ' ');

const std::vector<SourceFile>& sources() {
  static const std::vector<SourceFile> kFiles = source_files(kRoot, {"lib", "stages"});
  return kFiles;
}

bool has(const Names& names, const std::string& name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

// "lib/run"; "stages", or "stages/STUDY".
std::string room_of(const std::string& path) {
  const std::size_t slash = path.find('/');
  const std::string second = path.substr(slash + 1, path.find('/', slash + 1) - slash - 1);
  if (path.starts_with("lib/") || has(kStudies, second)) return path.substr(0, slash + 1) + second;
  return path.substr(0, slash);
}

struct Room {
  std::string name;
  Names knows;  // beside itself
};

const Names kEngine = {"lib/stage", "lib/spec", "lib/store", "lib/worker", "lib/run"};

Names joined(Names names, const Names& more) {
  names.insert(names.end(), more.begin(), more.end());
  return names;
}

// In an order in which each room depends only on earlier ones.
std::vector<Room> plan_of_the_house() {
  const Names numerics = {"lib/base", "lib/numerics"};
  const Names engine = joined({"lib/base"}, kEngine);
  std::vector<Room> rooms = {
      {"lib/base", {}},
      {"lib/numerics", {"lib/base"}},
      {"lib/stage", {"lib/base"}},
      {"lib/spec", {"lib/base", "lib/stage"}},
      {"lib/store", {"lib/base", "lib/stage", "lib/spec"}},
      {"lib/worker", {"lib/base", "lib/stage", "lib/spec", "lib/store"}},
      {"lib/cluster", {"lib/base", "lib/stage", "lib/spec", "lib/store", "lib/worker"}},
      {"lib/run", {"lib/base", "lib/stage", "lib/spec", "lib/store", "lib/worker"}},
      {"lib/observers", engine},
      {"lib/figures", numerics},
      {"lib/report", joined(numerics, kEngine)},
      {"lib/sweep", joined(joined(numerics, kEngine), {"lib/figures", "lib/report"})},
      {"lib/cli", joined(joined(numerics, kEngine), {"lib/cluster", "lib/observers", "lib/figures",
                                                     "lib/report", "lib/sweep"})},
      {"lib/data", numerics},
      {"lib/nn", numerics},
      {"lib/train", joined(numerics, {"lib/nn", "lib/data"})},
      {"lib/analysis", joined(numerics, {"lib/nn", "lib/data", "lib/train"})},
  };
  const Names science = {"lib/data", "lib/nn", "lib/train", "lib/analysis"};
  const Names study = joined(joined(numerics, science), {"lib/stage", "lib/figures", "lib/report"});
  for (const std::string& name : kStudies) rooms.push_back({"lib/" + name, study});
  // The mains bring in the command line and the worker's loop.
  rooms.push_back({"stages", joined(study, {"lib/sweep", "lib/worker", "lib/cli"})});
  for (const std::string& name : kStudies)
    rooms.push_back({"stages/" + name, joined(study, {"lib/" + name, "stages"})});
  return rooms;
}

const Names* known_to(const std::string& room) {
  static const std::vector<Room> kRooms = plan_of_the_house();
  for (const Room& one : kRooms) {
    if (one.name == room) return &one.knows;
  }
  return nullptr;
}

TEST_CASE("no room depends on a later one") {
  std::set<std::string> earlier;
  for (const Room& room : plan_of_the_house()) {
    for (const std::string& known : room.knows) {
      INFO(room.name << " knows " << known);
      CHECK(earlier.contains(known));
    }
    earlier.insert(room.name);
  }
}

TEST_CASE("no room includes one that it does not depend on") {
  REQUIRE(sources().size() > 100);
  for (const SourceFile& file : sources()) {
    const std::string from = room_of(file.path);
    INFO(file.path);
    REQUIRE(known_to(from));
    for (const Include& include : includes_of(file.text)) {
      if (!include.is_quoted) continue;
      INFO("includes " << include.header);
      const std::string to = room_of(include.header);
      CHECK((from == to || has(*known_to(from), to)));
    }
  }
}

TEST_CASE("our own headers are included by their path from the root, in quotes") {
  for (const SourceFile& file : sources()) {
    for (const Include& include : includes_of(file.text)) {
      INFO(file.path << " includes " << include.header);
      CHECK(include.is_quoted == std::filesystem::exists(kRoot / include.header));
    }
  }
}

// "lib/nn" for headway_shapes, "stages/addition" for headway_addition_native, "" for what is no
// library of a room.
std::string room_of_library(const std::string& name) {
  if (name == "shapes") return "lib/nn";
  if (known_to("lib/" + name)) return "lib/" + name;
  if (has({"stages", "stage_support", "native_stages", "native_support", "torch_setup"}, name))
    return "stages";
  const std::size_t last = std::min(name.rfind('_'), name.size());
  const std::string study = name.substr(0, last);
  if (!has(kStudies, study)) return "";
  return (name.substr(last) == "_analysis" ? "lib/" : "stages/") + study;
}

TEST_CASE("no library links one whose room its own does not depend on") {
  static const std::regex kLibrary("headway_([a-z_]+)");
  for (const Room& room : plan_of_the_house()) {
    std::ifstream in(kRoot / room.name / "CMakeLists.txt");
    const std::string text{std::istreambuf_iterator<char>(in), {}};
    REQUIRE_FALSE(text.empty());
    for (std::sregex_iterator found(text.begin(), text.end(), kLibrary), end; found != end;
         ++found) {
      const std::string other = room_of_library((*found)[1]);
      INFO(room.name << " links " << found->str());
      CHECK((other.empty() || other == room.name || has(room.knows, other)));
    }
  }
}

TEST_CASE("each third-party library is used only in the room that wraps it") {
  const std::map<std::string, Names> rooms = {
      {"yaml-cpp/", {"lib/spec"}}, {"taskflow/", {"lib/run"}},
      {"CLI/", {"lib/cli"}},       {"openssl/", {"lib/base"}},
      {"md4c", {"lib/report"}},    {"pugixml", {"lib/base", "lib/report"}}};
  for (const SourceFile& file : sources()) {
    for (const Include& include : includes_of(file.text)) {
      for (const auto& [library, allowed] : rooms) {
        INFO(file.path << " includes " << include.header);
        if (include.header.starts_with(library)) CHECK(has(allowed, room_of(file.path)));
      }
    }
  }
}

// What a file includes, directly or through our headers.
void gather_includes(const std::map<std::string, std::string>& texts, const std::string& path,
                     std::set<std::string>& found) {
  const auto text = texts.find(path);
  if (text == texts.end()) return;
  for (const Include& include : includes_of(text->second)) {
    if (found.insert(include.header).second) gather_includes(texts, include.header, found);
  }
}

TEST_CASE("only the worker's files reach LibTorch") {
  std::map<std::string, std::string> texts;
  for (const SourceFile& file : sources()) texts[file.path] = file.text;
  const Names science = {"lib/nn", "lib/train", "lib/analysis"};
  static const std::regex kWorker(
      "lib/[a-z]+/analysis/.*|stages/.*_native\\.(h|cc)|"
      "stages/(native_stages|native_support|torch_setup|worker_numerics)\\.(h|cc)");
  for (const auto& [path, text] : texts) {
    if (has(science, room_of(path)) || std::regex_match(path, kWorker)) continue;
    std::set<std::string> reached;
    gather_includes(texts, path, reached);
    for (const std::string& header : reached) {
      INFO(path << " reaches " << header);
      for (const char* torch : {"torch/", "ATen/", "c10/"}) CHECK_FALSE(header.starts_with(torch));
    }
  }
}

void check_words(const Names& rooms, const std::set<std::string>& forbidden) {
  for (const SourceFile& file : sources()) {
    if (!has(rooms, room_of(file.path))) continue;
    for (const Token& token : tokens_of(file.text)) {
      if (token.text == "is_digit") continue;  // of a character (lib/base/text.h)
      for (const std::string& phrase : forbidden) {
        if (!mentions(token.text, phrase)) continue;
        FAIL_CHECK(file.path << ":" << token.line << ": '" << phrase << "' in " << token.text);
      }
    }
  }
}

// Names of one word (shell, plot) are English words too.
bool is_ordinary(const std::string& type) {
  return type.find('-') == type.npos;
}

// The studies' names, models, measures and stage types.
std::set<std::string> words_of_studies() {
  std::set<std::string> words = {"carry",       "sorting",       "extrapolate",    "classifier",
                                 "seq2seq",     "ablation",      "token accuracy", "exact match",
                                 "transformer", "attention head"};
  words.insert(kStudies.begin(), kStudies.end());
  for (const Study& study : all_studies()) {
    for (const StageType& type : study.stages)
      if (!is_ordinary(type.name)) words.insert(type.name);
  }
  return words;
}

TEST_CASE("the engine names no client, no study and no stage type") {
  std::set<std::string> forbidden = words_of_studies();
  forbidden.insert({"trial", "sweep", "campaign", "report", "operand"});
  std::set<std::string> ordinary;
  for (const std::string& type : all_stages().names())
    (is_ordinary(type) ? ordinary : forbidden).insert(type);
  const Names engine = joined(kEngine, {"lib/cluster"});  // which only the command line knows
  check_words(engine, forbidden);
  for (const SourceFile& file : sources()) {
    if (!has(engine, room_of(file.path))) continue;
    for (const Token& token : tokens_of(file.text)) {
      INFO(file.path << ":" << token.line);
      CHECK_FALSE((token.is_literal && ordinary.contains(token.text)));
    }
  }
}

TEST_CASE("reports, sweeps and observers name no study and none of its stage types") {
  std::set<std::string> forbidden = words_of_studies();
  check_words({"lib/sweep", "lib/observers"}, forbidden);
  forbidden.erase("attention-maps");  // also a format, which lib/numerics/attention_maps.h reads
  check_words({"lib/report"}, forbidden);
}

// Two of one name in different libraries link without a warning, and one takes the other's
// functions.
TEST_CASE("no two headers define a type of the same name") {
  static const std::regex kType(
      R"((^|\n)(struct|class|enum|enum class) ([A-Z][A-Za-z0-9]*)( final)?( :[^;\n]*)? \{)");
  std::map<std::string, std::string> defined;  // in which file
  for (const SourceFile& file : sources()) {
    if (!file.path.ends_with(".h")) continue;
    for (std::sregex_iterator found(file.text.begin(), file.text.end(), kType), end; found != end;
         ++found) {
      const auto [before, is_new] = defined.emplace((*found)[3], file.path);
      INFO((*found)[3] << " in " << before->second << " and " << file.path);
      CHECK(is_new);
    }
  }
  CHECK(defined.size() > 100);
}

TEST_CASE("science and drawing code names no task") {
  std::set<std::string> forbidden = {"carry", "operand", "sorting", "digit"};
  forbidden.insert(kStudies.begin(), kStudies.end());
  check_words({"lib/numerics", "lib/data", "lib/nn", "lib/train", "lib/analysis", "lib/figures"},
              forbidden);
}

// Output printed elsewhere is neither checked nor stripped of control characters.
TEST_CASE("verbs print only through lib/cli/output.h") {
  static const std::regex kPrints(
      "fmt::print\\(|std::(printf|fprintf|puts|fputs|fwrite|cout|cerr)");
  for (const SourceFile& file : sources()) {
    if (room_of(file.path) != "lib/cli" || file.path == "lib/cli/output.cc") continue;
    INFO(file.path);
    CHECK_FALSE(std::regex_search(file.text, kPrints));
  }
}

}  // namespace
}  // namespace headway::layers
