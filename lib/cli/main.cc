#include "lib/cli/main.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <cstdlib>
#include <exception>
#include <new>
#include <span>
#include <sstream>
#include <string_view>
#include <tuple>

#include "lib/base/error.h"
#include "lib/base/machine.h"
#include "lib/base/text.h"
#include "lib/cli/output.h"
#include "lib/cli/verbs.h"
#include "lib/observers/messages.h"

namespace headway {
namespace {

constexpr int kUsage = 2;

// Words that no verb understands.
struct MisusedOptions : UsageError {
  using UsageError::UsageError;
};

constexpr const char* kExamples =
    "\nExamples:\n"
    "  headway run pipelines/quickstart.yaml              run everything that is not fresh\n"
    "  headway run pipelines/quickstart.yaml prune -j 4   one stage, with what it needs\n"
    "  headway sweep pipelines/quickstart.yaml --axis seed=1,2,3      many values, as one graph\n"
    "  headway report pipelines/quickstart.yaml --open    the results as a page\n"
    "  headway status pipelines/quickstart.yaml           what is fresh, what is stale and why\n"
    "  headway why pipelines/quickstart.yaml train        which fact changed\n"
    "  headway stages shell                               parameters of a stage type\n"
    "\n`headway VERB --help` shows the options of a verb, with examples.\n"
    "Exit codes: 0; 1 a stage or expectation failed; 2 usage or pipeline error; 130 interrupted.";

// "did you mean" for a verb or an option that does not exist.
std::string suggestion(const CLI::App& app, int argc, char** argv) {
  const auto verbs = app.get_subcommands([](const CLI::App*) { return true; });
  const CLI::App* chosen = &app;
  if (argc > 1 && argv[1][0] != '-') {
    const std::vector<std::string> names = texts_of(verbs, &CLI::App::get_name);
    const auto found = std::ranges::find(names, argv[1]);
    if (found == names.end())
      return fmt::format("unknown verb '{}'{}", printable(argv[1]), did_you_mean(argv[1], names));
    chosen = verbs[static_cast<std::size_t>(found - names.begin())];
  }
  std::vector<std::string> options;
  for (const CLI::Option* option : chosen->get_options()) {
    for (const std::string& name : option->get_lnames()) options.push_back("--" + name);
  }
  for (int i = 1; i < argc; ++i) {
    const std::string word = std::string(argv[i]).substr(0, std::string(argv[i]).find('='));
    if (!word.starts_with("--") || std::ranges::find(options, word) != options.end()) continue;
    return fmt::format("unknown option '{}'{}", printable(word), did_you_mean(word, options));
  }
  return "";
}

// `--force` may name a stage or stand alone. CLI11 would take a pipeline file that follows it for
// the stage, so join option and stage here.
std::vector<std::string> separate_force(int argc, char** argv) {
  std::vector<std::string> words(argv + 1, argv + argc);
  for (std::size_t i = 0; i < words.size(); ++i) {
    if (words[i] != "--force") continue;
    const bool names_stage = i + 1 < words.size() && !words[i + 1].starts_with('-') &&
                             !words[i + 1].ends_with(".yaml") && !words[i + 1].ends_with(".yml");
    words[i] = names_stage ? "--force=" + words[i + 1] : "--force=*";
    if (names_stage) words.erase(words.begin() + static_cast<std::ptrdiff_t>(i) + 1);
  }
  return {words.rbegin(), words.rend()};  // CLI11 wants them in reverse
}

// If a standard stream is closed, the next file we open would take its place, and messages would be
// written into the store.
void open_standard_streams() {
  for (int fd = ::open("/dev/null", O_RDWR); fd >= 0; fd = ::open("/dev/null", O_RDWR)) {
    if (fd <= STDERR_FILENO) continue;
    ::close(fd);
    return;
  }
}

int run_line(int argc, char** argv, const StageRegistry& stages) {
  CommandLine line{stages, {}, 0};
  CLI::App app("Headway runs declarative pipelines and never computes a result twice.", "headway");
  app.set_version_flag("--version", std::string("headway ") + kVersion);
  app.require_subcommand(1);
  app.footer(kExamples);
  for (const auto add : {add_run, add_sweep, add_report, add_compare, add_diff, add_status, add_why,
                         add_graph, add_validate, add_stages, add_logs, add_show, add_gc,
                         add_verify, add_export, add_completion, add_agent})
    add(app, line);
  try {
    app.parse(separate_force(argc, argv));
  } catch (const CLI::ParseError& error) {
    if (error.get_exit_code() == 0) {  // --help, --version
      std::ostringstream text;
      const int exit_code = app.exit(error, text, text);
      print_exactly(text.str());
      return exit_code;
    }
    const std::string better = suggestion(app, argc, argv);
    throw MisusedOptions(better.empty() ? error.what() : better);
  }
  return line.exit_code;
}

// For a program that asked for JSON, on standard output, on a line: a run may have begun.
void print_mistakes(const std::string& text, int exit_code) {
  constexpr std::string_view kOurName = "headway: ";  // before mistakes that have no place
  Json mistakes = mistakes_in(text.starts_with(kOurName) ? text.substr(kOurName.size()) : text);
  Json document = {{"schema", kJsonSchema}, {"exit_code", exit_code}};
  document["error"] = mistakes.front();
  mistakes.erase(mistakes.begin());
  if (!mistakes.empty()) document["more_errors"] = std::move(mistakes);
  print_event(document);
}

// Turns exceptions into messages and exit codes.
int run_guarded(int argc, char** argv, const StageRegistry& stages) {
  const bool json = std::ranges::count(std::span(argv, static_cast<std::size_t>(argc)),
                                       std::string_view("--json")) > 0;
  const auto fail = [&](int exit_code, const char* before, const std::string& text,
                        const char* after = "") {
    json ? print_mistakes(text, exit_code) : complain("{}{}\n{}", before, text, after);
    return exit_code;
  };
  try {
    return run_line(argc, argv, stages);
  } catch (const MisusedOptions& error) {
    return fail(kUsage, "headway: ", error.what(),
                "(`headway --help` lists the verbs, `headway VERB --help` the options of one)\n");
  } catch (const PipelineError& error) {
    return fail(kUsage, "", error.what());
  } catch (const UsageError& error) {
    return fail(kUsage, "headway: ", error.what());
  } catch (const Cancelled&) {
    return 130;
  } catch (const std::exception& error) {
    return fail(1, "headway: ", describe_exception(error));
  }
}

const std::terminate_handler kDefaultHandler = std::get_terminate();

// Destructors of JSON values allocate memory. If there is none, the exception cannot leave them and
// ends the program, which must say so; the guardian kills what stages have started.
[[noreturn]] void end_without_memory() {
  try {
    if (const std::exception_ptr thrown = std::current_exception()) std::rethrow_exception(thrown);
  } catch (const std::bad_alloc&) {
    constexpr std::string_view kMessage = "headway: out of memory\n";
    std::ignore = ::write(STDERR_FILENO, kMessage.data(), kMessage.size());
    ::_exit(1);
  } catch (...) {
    kDefaultHandler();  // a bug of ours: it prints what was thrown
  }
  std::abort();
}

}  // namespace

int headway_main(int argc, char** argv, const StageRegistry& stages) {
  std::set_terminate(end_without_memory);
  open_standard_streams();
  std::signal(SIGPIPE, SIG_IGN);  // `headway run … | head` must not kill a run
  return finish_output(run_guarded(argc, argv, stages));
}

}  // namespace headway
