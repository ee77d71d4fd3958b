#include "tests/e2e/processes.h"

#include <signal.h>

#include <algorithm>
#include <cctype>
#include <fstream>
#include <optional>
#include <sstream>

namespace headway::e2e {
namespace {

namespace fs = std::filesystem;

// "12 (name) S 1 …": a name may have anything in it, so its end is the last bracket.
std::optional<ProcessInfo> parse_stat(const std::string& stat) {
  const std::size_t open = stat.find(" (");
  const std::size_t close = stat.rfind(") ");
  if (open == std::string::npos || close == std::string::npos) return std::nullopt;
  ProcessInfo process;
  char state = 0;
  std::istringstream rest(stat.substr(close + 2));
  rest >> state >> process.parent >> process.group;
  process.pid = std::stoi(stat);
  process.name = stat.substr(open + 2, close - open - 2);
  return process;
}

bool is_below(const Path& path, const Path& folder) {
  return std::mismatch(folder.begin(), folder.end(), path.begin(), path.end()).first ==
         folder.end();
}

// Whether a thread of the process, which is a folder in /proc, works there. The first thread of a
// killed process may have ended before the others.
bool works_in(const Path& process, const Path& folder) {
  std::error_code ended;
  for (fs::directory_iterator thread(process / "task", ended), end; !ended && thread != end;
       thread.increment(ended)) {
    std::error_code gone;
    if (is_below(fs::read_symlink(thread->path() / "cwd", gone), folder)) return true;
  }
  return false;
}

}  // namespace

std::vector<ProcessInfo> processes_in(const Sandbox& sandbox) {
  std::vector<ProcessInfo> found;
  for (const auto& entry : fs::directory_iterator("/proc")) {
    if (std::isdigit(static_cast<unsigned char>(entry.path().filename().string()[0])) == 0)
      continue;
    if (!works_in(entry.path(), sandbox.folder())) continue;
    std::ifstream file(entry.path() / "stat");
    std::string stat;  // one line; empty if the process has ended meanwhile
    std::getline(file, stat);
    if (const auto process = parse_stat(stat)) found.push_back(*process);
  }
  return found;
}

bool all_end(const Sandbox& sandbox) {
  for (int i = 0; i < 6000; ++i) {
    if (processes_in(sandbox).empty()) return true;
    sleep_ms(10);
  }
  return false;
}

void kill_processes_in(const Sandbox& sandbox) {
  eventually([&] {
    const std::vector<ProcessInfo> left = processes_in(sandbox);
    for (const ProcessInfo& process : left) ::kill(process.pid, SIGKILL);
    return left.empty();
  });
}

std::string to_text(const std::vector<ProcessInfo>& processes) {
  std::string text;
  for (const ProcessInfo& process : processes) {
    if (!text.empty()) text += ", ";
    text += std::to_string(process.pid) + " " + process.name;
  }
  return text;
}

pid_t engine_of(const Sandbox& sandbox, pid_t run) {
  for (const ProcessInfo& process : processes_in(sandbox)) {
    if (process.parent == run && process.name == "headway") return process.pid;
  }
  return 0;
}

}  // namespace headway::e2e
