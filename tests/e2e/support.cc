#include "tests/e2e/support.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <catch2/catch_test_macros.hpp>
#include <chrono>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <set>
#include <thread>

namespace headway::e2e {
namespace {

namespace fs = std::filesystem;
using Clock = std::chrono::steady_clock;

// Of a process that hangs: one that does not may take minutes, under a sanitizer on a busy machine.
constexpr auto kPatience = std::chrono::minutes(10);

std::string slurp(const Path& path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

std::vector<std::string> environment(const std::map<std::string, std::string>& more) {
  std::map<std::string, std::string> all{{"LANG", "C.UTF-8"}};
  for (const char* name : {"PATH", "HOME", "ASAN_OPTIONS", "TSAN_OPTIONS", "UBSAN_OPTIONS"}) {
    if (const char* value = std::getenv(name)) all[name] = value;
  }
  for (const auto& [name, value] : more) all[name] = value;
  std::vector<std::string> words;
  for (const auto& [name, value] : all) words.push_back(name + "=" + value);
  return words;
}

std::vector<char*> pointers(std::vector<std::string>& words) {
  std::vector<char*> result;
  for (std::string& word : words) result.push_back(word.data());
  result.push_back(nullptr);
  return result;
}

int open_to_write(const Path& path) {
  return ::open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
}

}  // namespace

const std::string& program_path() {
  static const std::string path = [] {
    const char* set = std::getenv("HEADWAY");
    if (!set) throw std::runtime_error("HEADWAY must be the path of the program (ctest sets it)");
    return fs::absolute(set).string();
  }();
  return path;
}

bool has_worker() {
  return std::filesystem::exists(Path(program_path()).parent_path() / "headway-worker");
}

void skip_unless_memory_can_be_limited() {
#ifdef HEADWAY_ADDRESS_SANITIZER
  SKIP("the address sanitizer cannot run with limited memory");
#endif
}

Background::~Background() {
  if (reaped_) return;
  ::kill(pid_, SIGKILL);
  ::waitpid(pid_, nullptr, 0);
}

void Background::signal(int number) const {
  ::kill(pid_, number);
}

void Background::signal_group(int number) const {
  ::kill(-pid_, number);
}

std::string Background::out_so_far() const {
  return slurp(out_);
}

std::string Background::err_so_far() const {
  return slurp(err_);
}

Outcome Background::wait() {
  const Clock::time_point start = Clock::now();
  int status = 0;
  pid_t ended = 0;
  for (double pause = 0.2; ended == 0; pause = std::min(5.0, pause * 1.5)) {
    ended = ::waitpid(pid_, &status, WNOHANG);
    if (ended == 0 && Clock::now() - start > kPatience) FAIL("it hangs; so far: " << out_so_far());
    if (ended == 0) sleep_ms(pause);
  }
  reaped_ = true;
  Outcome outcome;
  if (WIFEXITED(status)) outcome.exit_code = WEXITSTATUS(status);
  if (WIFSIGNALED(status)) outcome.signal = WTERMSIG(status);
  outcome.out = slurp(out_);
  outcome.err = slurp(err_);
  return outcome;
}

Sandbox::Sandbox(const std::string& name) {
  std::string pattern = (fs::temp_directory_path() / "headway-e2e-XXXXXX").string();
  if (!::mkdtemp(pattern.data())) throw std::runtime_error("cannot make " + pattern);
  root_ = fs::canonical(pattern);
  folder_ = root_ / name;
  fs::create_directories(folder_);
}

Sandbox::~Sandbox() {
  std::error_code ignored;
  // Objects that are folders are read-only: they must be writable before their files can go.
  for (fs::recursive_directory_iterator entry(root_, ignored), end; entry != end;
       entry.increment(ignored)) {
    if (entry->is_directory() && !entry->is_symlink()) ::chmod(entry->path().c_str(), 0755);
  }
  fs::remove_all(root_, ignored);
}

void Sandbox::write(const Path& name, const std::string& text) const {
  fs::create_directories(at(name).parent_path());
  std::ofstream out(at(name), std::ios::binary);
  out << text;
  REQUIRE(out.good());
}

std::string Sandbox::read(const Path& name) const {
  return slurp(at(name));
}

bool Sandbox::exists(const Path& name) const {
  return fs::exists(fs::symlink_status(at(name)));
}

std::vector<std::string> Sandbox::list(const Path& name) const {
  std::vector<std::string> names;
  if (!fs::is_directory(at(name))) return names;
  for (const auto& entry : fs::directory_iterator(at(name))) {
    names.push_back(entry.path().filename().string());
  }
  std::sort(names.begin(), names.end());
  return names;
}

void Sandbox::replace(const Path& name, const std::string& from, const std::string& to) const {
  std::string text = read(name);
  const std::size_t found = text.find(from);
  REQUIRE(found != std::string::npos);
  write(name, text.replace(found, from.size(), to));
}

std::unique_ptr<Background> Sandbox::start_program(const Words& command,
                                                   const Surroundings& where) const {
  std::vector<std::string> words = command;
  std::vector<std::string> variables = environment(where.env);
  const std::vector<char*> argv = pointers(words);
  const std::vector<char*> envp = pointers(variables);
  const Path folder = where.folder.empty() ? folder_ : where.folder;
  const std::string number = std::to_string(processes_++);
  const Path out = root_ / (number + ".out"), err = root_ / (number + ".err");
  const int null = ::open("/dev/null", O_RDONLY | O_CLOEXEC);
  const int out_file = open_to_write(out), err_file = open_to_write(err);
  const pid_t pid = ::fork();
  if (pid == 0) {
    if (where.own_group) ::setpgid(0, 0);
    for (const int signal : {SIGINT, SIGQUIT, SIGTERM, SIGHUP, SIGPIPE}) ::signal(signal, SIG_DFL);
    ::dup2(null, 0);
    ::dup2(out_file, 1);
    ::dup2(err_file, 2);
    if (where.close_stdin) ::close(0);
    if (::chdir(folder.c_str()) == 0) ::execvpe(argv[0], argv.data(), envp.data());
    ::_exit(127);
  }
  for (const int file : {null, out_file, err_file}) ::close(file);
  REQUIRE(pid > 0);
  if (where.own_group) ::setpgid(pid, pid);  // here too: the first of the two counts
  return std::make_unique<Background>(pid, out, err);
}

std::unique_ptr<Background> Sandbox::start(const Words& arguments,
                                           const Surroundings& where) const {
  Words command{program_path()};
  command.insert(command.end(), arguments.begin(), arguments.end());
  return start_program(command, where);
}

Outcome Sandbox::headway(const Words& arguments, const Surroundings& where) const {
  return start(arguments, where)->wait();
}

Outcome Sandbox::program(const Words& command, const Surroundings& where) const {
  return start_program(command, where)->wait();
}

Outcome Sandbox::sh(const std::string& script, const Surroundings& where) const {
  return program({"sh", "-c", script}, where);
}

Words Sandbox::ran() const {
  Words result = lines(read("ran.txt"));
  fs::remove(at("ran.txt"));
  std::sort(result.begin(), result.end());
  return result;
}

std::map<std::string, std::string> Sandbox::contents(const Path& name,
                                                     const Words& leave_out) const {
  std::map<std::string, std::string> files;
  if (!fs::exists(at(name))) return files;
  const auto options = fs::directory_options::follow_directory_symlink;
  for (const auto& entry : fs::recursive_directory_iterator(at(name), options)) {
    const std::string file = entry.path().filename().string();
    if (std::find(leave_out.begin(), leave_out.end(), file) != leave_out.end()) continue;
    const std::string relative = entry.path().lexically_relative(at(name)).string();
    if (entry.is_regular_file()) files[relative] = slurp(entry.path());
  }
  return files;
}

std::map<std::string, std::string> Sandbox::exported(const Path& outputs) const {
  const Path folder = root_ / ("export" + std::to_string(exports_++));
  const Outcome outcome = headway({"export", folder.string(), "--outputs", outputs.string()});
  INFO(outcome.all());
  REQUIRE(outcome.exit_code == 0);
  return contents(folder, {"provenance.json"});
}

void Sandbox::set_numerics(const std::string& key, const std::string& numerics) const {
  const Path file = Path("outputs/.headway/records") / key.substr(0, 2) / (key.substr(2) + ".json");
  Json record = Json::parse(read(file));
  record.erase("checksum");  // older versions had none
  record["numerics"] = numerics;
  write(file, record.dump());
}

Words Sandbox::leftovers(const Path& outputs) const {
  Words found;
  const Path root = outputs / ".headway";
  for (const char* part : {"work", "locks"}) {
    for (const std::string& name : list(root / part)) found.push_back(Path(part) / name);
  }
  return found;
}

Words Sandbox::temporaries(const Path& outputs) const {
  Words found;
  for (const auto& entry : fs::recursive_directory_iterator(at(outputs))) {
    const std::string name = entry.path().filename().string();
    if (name.find(".tmp-") != std::string::npos) found.push_back(entry.path().string());
  }
  return found;
}

std::vector<Json> events(const std::string& text) {
  std::vector<Json> result;
  for (const std::string& line : lines(text)) {
    INFO(line);
    Json event = Json::parse(line, nullptr, false);
    REQUIRE(event.is_object());
    REQUIRE(event.contains("event"));
    result.push_back(std::move(event));
  }
  return result;
}

bool is_running(pid_t pid) {
  std::ifstream file("/proc/" + std::to_string(pid) + "/stat");
  std::string stat;
  std::getline(file, stat);
  const std::size_t end = stat.rfind(") ");
  return end != std::string::npos && stat[end + 2] != 'Z' && stat[end + 2] != 'X';
}

bool eventually(const std::function<bool()>& condition) {
  const Clock::time_point start = Clock::now();
  while (!condition()) {
    if (Clock::now() - start > kPatience) return false;
    sleep_ms(10);
  }
  return true;
}

void sleep_ms(double milliseconds) {
  std::this_thread::sleep_for(std::chrono::duration<double, std::milli>(milliseconds));
}

Words lines(const std::string& text) {
  Words result;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = std::min(text.find('\n', at), text.size());
    result.push_back(text.substr(at, end - at));
    at = end + 1;
  }
  return result;
}

}  // namespace headway::e2e
