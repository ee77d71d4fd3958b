// A run on a real terminal, which `script` of bsdutils provides.
#include <algorithm>
#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>
#include <functional>
#include <regex>

#include "tests/e2e/support.h"

namespace headway::e2e {
namespace {

using Catch::Matchers::ContainsSubstring;

const std::string kName =
    "a_stage_with_a_name_that_is_longer_than_the_terminal_is_wide_by_a_good_deal";

// The stages wait for the file `seen`.
std::string pipeline() {
  const std::string wait = "until test -e seen; do sleep 0.02; done; ";
  return "stages:\n  " + kName + ":\n    uses: shell\n    outs: {t: t.txt}\n    with: {run: \"" +
         wait +
         "echo > {out.t}\"}\n"
         "  bad: {uses: shell, outs: {t: t.txt}, with: {run: \"" +
         wait + "printf 'red \\\\033[31m bell \\\\007'; false; : {out.t}\"}}\n";
}

using Sees = std::function<bool(const std::string& so_far)>;

// Makes the file `seen` when what has been drawn so far is enough.
std::string on_terminal(const Sandbox& sandbox, const std::string& arguments, const Sees& is_enough,
                        const std::map<std::string, std::string>& more = {}) {
  std::map<std::string, std::string> env{
      {"TERM", "xterm"}, {"HEADWAY", program_path()}, {"SHELL", "/bin/sh"}};
  env.insert(more.begin(), more.end());
  const auto run = sandbox.start_program(
      {"script", "-qec", "stty cols 60; \"$HEADWAY\" " + arguments, "/dev/null"},
      {.env = env, .folder = {}, .close_stdin = false});
  eventually([&] { return is_enough(run->out_so_far()) || !is_running(run->pid()); });
  CHECK(is_enough(run->out_so_far()));
  sandbox.write("seen", "");
  return run->wait().out;
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

Words live_lines(const std::string& text) {
  Words live = screen_lines(text);
  std::erase_if(live, [](const std::string& line) {
    const bool of_stage =
        line.starts_with(kName.substr(0, 20)) && line.find(": ") == std::string::npos;
    return !of_stage && line.find("running") == std::string::npos;
  });
  return live;
}

TEST_CASE("live lines are never wider than the terminal") {
  const Sandbox sandbox;
  if (sandbox.sh("command -v script && command -v stty").exit_code != 0)
    SKIP("script is not installed");
  sandbox.write("p.yaml", pipeline());
  const std::string text = on_terminal(sandbox, "run p.yaml -k -j2", [](const std::string& so_far) {
    return live_lines(so_far).size() >= 6;
  });
  INFO(text);
  for (const std::string& line : live_lines(text)) CHECK(columns(line) <= 60);
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
  const auto is_live = [](const std::string& so_far) {
    return so_far.find("\x1b[") != std::string::npos;
  };
  const std::string plain = on_terminal(sandbox, "run p.yaml -k -j2", is_live, {{"NO_COLOR", "1"}});
  INFO(plain);
  CHECK_FALSE(std::regex_search(plain, std::regex("\x1b\\[[0-9;]*m")));
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
  sandbox.write(
      "p.yaml",
      "stages:\n  a: {uses: shell, outs: {t: t.txt}, with: {run: \"until test -e seen; do "
      "sleep 0.02; done; kill -INT $PPID; sleep 300; : {out.t}\"}}\n");
  const std::string text = on_terminal(
      sandbox, "run p.yaml; echo code $?",
      [](const std::string& so_far) { return so_far.find("running") != std::string::npos; });
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
