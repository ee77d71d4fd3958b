#include "lib/cli/pages.h"

#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <sys/wait.h>

#include <chrono>
#include <cstdlib>
#include <thread>

#include "lib/base/error.h"
#include "lib/cli/index_notes.h"
#include "lib/cli/output.h"
#include "lib/report/default_report.h"
#include "lib/report/outputs_index.h"

namespace headway {
namespace {

constexpr int kChecks = 20;  // every 100 ms; xdg-open fails sooner than that

// Not a Process: those die with us.
pid_t start_detached(const std::string& program, const std::string& argument) {
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0);
  posix_spawn_file_actions_addopen(&actions, 1, "/dev/null", O_WRONLY, 0);
  posix_spawn_file_actions_addopen(&actions, 2, "/dev/null", O_WRONLY, 0);
  posix_spawnattr_t attributes;
  posix_spawnattr_init(&attributes);
  // We ignore broken pipes; a browser should not inherit that.
  sigset_t ignored;
  ::sigemptyset(&ignored);
  ::sigaddset(&ignored, SIGPIPE);
  posix_spawnattr_setsigdefault(&attributes, &ignored);
  posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSID | POSIX_SPAWN_SETSIGDEF);
  char* argv[] = {const_cast<char*>(program.c_str()), const_cast<char*>(argument.c_str()), nullptr};
  pid_t pid = -1;
  const int error = posix_spawnp(&pid, program.c_str(), &actions, &attributes, argv, environ);
  posix_spawnattr_destroy(&attributes);
  posix_spawn_file_actions_destroy(&actions);
  return error == 0 ? pid : -1;
}

// False if it failed within two seconds.
bool has_started(pid_t pid) {
  for (int i = 0; i < kChecks; ++i) {
    int status = 0;
    const pid_t ended = ::waitpid(pid, &status, WNOHANG);
    if (ended == pid) return WIFEXITED(status) && WEXITSTATUS(status) == 0;
    if (ended < 0) return true;
    std::this_thread::sleep_for(std::chrono::milliseconds(100));
  }
  return true;
}

}  // namespace

Path write_outputs_page(const Path& outputs, CommandLine& line) {
  const Layout layout(outputs);
  return write_outputs_index(line.files, outputs, [&](const KnownPipeline& known) {
    return index_notes(known, layout, line);
  });
}

void refresh_outputs_page(const Path& outputs, const PipelineSpec& pipeline, CommandLine& line) {
  try {
    if (!report_stages(pipeline).empty() || line.files.exists(outputs / "index.html"))
      write_outputs_page(outputs, line);
  } catch (const Error& error) {
    complain("headway: {} is not up to date: {}\n", display_path(outputs / "index.html"),
             error.what());
  }
}

void open_page(const Path& page) {
  const char* browser = std::getenv("BROWSER");
  const std::string program = browser && *browser ? browser : "xdg-open";
  const pid_t pid = start_detached(program, page.string());
  if (pid < 0 || !has_started(pid))
    throw Error("{} cannot open the page; set BROWSER to a browser's name, or open {} by hand",
                program, display_path(page));
}

}  // namespace headway
