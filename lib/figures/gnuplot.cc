#include "lib/figures/gnuplot.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <regex>

#include "lib/base/error.h"
#include "lib/base/file_system.h"
#include "lib/base/process.h"
#include "lib/base/text.h"

namespace headway {
namespace {

constexpr double kTimeLimit = 300;  // seconds; the largest figures take one

class ScratchFolder {
 public:
  ScratchFolder() {
    std::string pattern =
        (std::filesystem::temp_directory_path() / "headway-figure-XXXXXX").string();
    if (!::mkdtemp(pattern.data())) {
      throw Error(fmt::format("cannot make the folder {}: {}", pattern, describe_errno(errno)));
    }
    path_ = pattern;
  }
  ~ScratchFolder() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }
  ScratchFolder(const ScratchFolder&) = delete;
  ScratchFolder& operator=(const ScratchFolder&) = delete;

  Path operator/(const char* name) const { return path_ / name; }
  const Path& path() const { return path_; }

 private:
  Path path_;
};

class LogFile {
 public:
  explicit LogFile(const Path& path)
      : descriptor_(::open(path.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600)) {
    if (descriptor_ < 0) {
      throw Error(fmt::format("cannot write {}: {}", path.string(), describe_errno(errno)));
    }
  }
  ~LogFile() { ::close(descriptor_); }
  LogFile(const LogFile&) = delete;
  LogFile& operator=(const LogFile&) = delete;

  int descriptor() const { return descriptor_; }

 private:
  int descriptor_;
};

std::string find_gnuplot() {
  const char* path = std::getenv("PATH");
  for (const std::string& folder : split(path ? path : "/usr/bin:/bin", ':')) {
    const std::string program = folder + "/gnuplot";
    if (!folder.empty() && ::access(program.c_str(), X_OK) == 0) return program;
  }
  throw Error("gnuplot is not installed; on Debian: apt install gnuplot-nox");
}

ProcessExit run_gnuplot(const ScratchFolder& folder) {
  const LogFile log(folder / "log");
  ProcessSpec spec;
  // -d: no settings of the user's or the machine's, so that the same script gives the same figure.
  spec.argv = {find_gnuplot(), "-d", "-e", "name = 'figure'", "figure.gp"};
  spec.environment = inherited_environment({"PATH", "HOME"});
  spec.environment.emplace_back("LC_ALL=C.UTF-8");
  spec.directory = folder.path();
  spec.output = log.descriptor();
  Process process(spec);
  if (!process.wait_for(kTimeLimit)) {
    throw Error(fmt::format("gnuplot did not end within {}", format_seconds(kTimeLimit)));
  }
  return process.reap();
}

// The line of the script that a message such as `"figure.gp" line 12: undefined variable` is about.
std::string line_told(const std::string& message, const std::string& script) {
  static const std::regex kPlace("\"figure\\.gp\",? line ([0-9]{1,6}):");
  std::smatch match;
  if (!std::regex_search(message, match, kPlace)) return "";
  const std::vector<std::string> lines = split(script, '\n');
  const std::size_t number = std::stoul(match[1]);
  if (number == 0 || number > lines.size()) return "";
  return fmt::format("; line {} of the script: {}", number, lines[number - 1]);
}

}  // namespace

Drawing draw_with_gnuplot(const Figure& figure) {
  const ScratchFolder folder;
  RealFileSystem files;
  files.write(folder / "figure.gp", figure.script, Durability::kCached);
  files.write(folder / "figure.dat", figure.data, Durability::kCached);
  const ProcessExit exit = run_gnuplot(folder);
  const std::string said{trim(files.read(folder / "log").value_or(""))};
  if (!exit.succeeded()) {
    throw Error(fmt::format("gnuplot failed ({}): {}{}", exit.describe(), said,
                            line_told(said, figure.script)));
  }
  Drawing drawing{files.read(folder / "figure.svg").value_or(""),
                  files.read(folder / "figure.png").value_or(""), said};
  if (drawing.svg.empty() || drawing.png.empty()) {
    throw Error(fmt::format("gnuplot drew nothing: {}", said));
  }
  return drawing;
}

}  // namespace headway
