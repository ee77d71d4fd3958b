// A run on a real terminal, which `script` of bsdutils provides.
#include <algorithm>
#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>
#include <regex>

#include "tests/e2e/support.h"

namespace headway::e2e {
namespace {

using Catch::Matchers::ContainsSubstring;

const std::string kName =
    "a_stage_with_a_name_that_is_longer_than_the_terminal_is_wide_by_a_good_deal";

std::string pipeline() {
  return "stages:\n  " + kName +
         ":\n    uses: shell\n    outs: {t: t.txt}\n    with: {run: \"sleep 0.7; echo > "
         "{out.t}\"}\n"
         "  bad: {uses: shell, outs: {t: t.txt}, with: {run: \"sleep 0.3; printf 'red \\\\033[31m "
         "bell \\\\007'; false; : {out.t}\"}}\n";
}

std::string on_terminal(const Sandbox& sandbox, const std::string& arguments,
                        const std::map<std::string, std::string>& more = {}) {
  std::map<std::string, std::string> env{
      {"TERM", "xterm"}, {"HEADWAY", program_path()}, {"SHELL", "/bin/sh"}};
  env.insert(more.begin(), more.end());
  return sandbox
      .program({"script", "-qec", "stty cols 60; \"$HEADWAY\" " + arguments, "/dev/null"},
               {.env = env, .folder = {}, .close_stdin = false})
      .out;
}

// Without escape sequences, cut at line ends and carriage returns.
Words screen_lines(const std::string& text) {
  std::string plain = std::regex_replace(text, std::regex("\x1b\\[[0-9;]*[A-Za-z]"), "\n");
  std::replace(plain.begin(), plain.end(), '\r', '\n');
  return lines(plain);
}

std::size_t columns(const std::string& line) {
  return static_cast<std::size_t>(
      std::count_if(line.begin(), line.end(), [](char c) { return (c & 0xC0) != 0x80; }));
}

TEST_CASE("live lines are never wider than the terminal") {
  const Sandbox sandbox;
  if (sandbox.sh("command -v script && command -v stty").exit_code != 0)
    SKIP("script is not installed");
  sandbox.write("p.yaml", pipeline());
  const std::string text = on_terminal(sandbox, "run p.yaml -k -j2");
  INFO(text);
  std::size_t live = 0;
  for (const std::string& line : screen_lines(text)) {
    const bool of_stage =
        line.starts_with(kName.substr(0, 20)) && line.find(": ") == std::string::npos;
    if (!of_stage && line.find("running") == std::string::npos) continue;
    ++live;
    CHECK(columns(line) <= 60);
  }
  CHECK(live >= 4);
  CHECK_THAT(text, ContainsSubstring("1 done, 1 failed"));
  CHECK_THAT(text, ContainsSubstring("\x1b[31m"));
  CHECK_THAT(text,
             !ContainsSubstring("\a"));  // what a stage prints does not reach the terminal raw
}

TEST_CASE("NO_COLOR disables colours, and a dumb terminal gets no escape sequences") {
  const Sandbox sandbox;
  if (sandbox.sh("command -v script && command -v stty").exit_code != 0)
    SKIP("script is not installed");
  sandbox.write("p.yaml", pipeline());
  const std::string plain = on_terminal(sandbox, "run p.yaml -k -j2", {{"NO_COLOR", "1"}});
  INFO(plain);
  CHECK_FALSE(std::regex_search(plain, std::regex("\x1b\\[[0-9;]*m")));
  CHECK_THAT(plain, ContainsSubstring("\x1b["));  // still live
  std::map<std::string, std::string> dumb{
      {"TERM", "dumb"}, {"HEADWAY", program_path()}, {"SHELL", "/bin/sh"}};
  const std::string text =
      sandbox
          .program({"script", "-qec", "\"$HEADWAY\" run p.yaml -k --force", "/dev/null"},
                   {.env = dumb, .folder = {}, .close_stdin = false})
          .out;
  CHECK_THAT(text, !ContainsSubstring("\x1b") && ContainsSubstring("1 done, 1 failed"));
}

TEST_CASE("the terminal is left clean after ctrl-C") {
  const Sandbox sandbox;
  if (sandbox.sh("command -v script && command -v stty").exit_code != 0)
    SKIP("script is not installed");
  sandbox.write("p.yaml",
                "stages:\n  a: {uses: shell, outs: {t: t.txt}, with: {run: \"sleep 0.5; kill -INT "
                "$PPID; sleep 300; : {out.t}\"}}\n");
  const std::string text = on_terminal(sandbox, "run p.yaml; echo code $?");
  INFO(text);
  CHECK_THAT(text, ContainsSubstring("a: interrupted") && ContainsSubstring("code 130"));
  CHECK(text.rfind("running") < text.rfind("a: interrupted"));
}

TEST_CASE("gc on a terminal removes results only after a yes") {
  const Sandbox sandbox;
  if (sandbox.sh("command -v script").exit_code != 0) SKIP("script is not installed");
  const auto text = [](int n) {
    return "stages:\n  a: {uses: shell, outs: {t: t.txt}, with: {run: \"echo " + std::to_string(n) +
           " > {out.t}\"}}\n";
  };
  for (const int n : {1, 2, 3}) {
    sandbox.write("p.yaml", text(n));
    REQUIRE(sandbox.headway({"run", "p.yaml"}).exit_code == 0);
  }
  const auto records = [&] {
    return lines(sandbox.sh("find outputs/.headway/records -type f").out).size();
  };
  const auto answer = [&](const std::string& words, const std::string& options = "") {
    return sandbox
        .sh("printf '" + words + "\\n' | script -qec '\"$HEADWAY\" gc" + options + "' /dev/null",
            {.env = {{"TERM", "xterm"}, {"HEADWAY", program_path()}, {"SHELL", "/bin/sh"}},
             .folder = {}})
        .out;
  };
  CHECK(records() == 3);
  const std::string kept = answer("n");
  CHECK_THAT(kept, ContainsSubstring("p/a") &&
                       ContainsSubstring("remove 2 results, which cannot be undone? [y/N]") &&
                       ContainsSubstring("nothing was removed"));
  CHECK(records() == 3);
  CHECK_THAT(answer("y"), ContainsSubstring("freed"));
  CHECK(records() == 1);
  CHECK_THAT(answer(""), !ContainsSubstring("[y/N]"));  // nothing to lose
  sandbox.write("p.yaml", text(4));
  REQUIRE(sandbox.headway({"run", "p.yaml"}).exit_code == 0);
  CHECK_THAT(answer("", " --yes"), !ContainsSubstring("[y/N]") && ContainsSubstring("freed"));
  CHECK(records() == 1);
}

}  // namespace
}  // namespace headway::e2e
