// A separate folder for each test, in which the real `headway` runs. Uses the program only as its
// users do: arguments, environment, signals, files, exit codes.
#pragma once

#include <sys/types.h>

#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "lib/numerics/event_file.h"

namespace headway::e2e {

using Path = std::filesystem::path;
using Json = nlohmann::json;
using Words = std::vector<std::string>;

struct Outcome {
  int exit_code = -1;  // -1: ended by `signal`
  int signal = 0;
  std::string out;
  std::string err;

  std::string all() const { return out + err; }
};

struct Surroundings {
  std::map<std::string, std::string> env = {};  // beside PATH, HOME and the sanitizers' options
  Path folder = {};                             // empty: the sandbox
  bool close_stdin = false;                     // otherwise /dev/null
  bool own_group = false;  // a process group, as a shell gives to what it starts
};

// A process that was started and may still be running; killed with its object.
class Background {
 public:
  Background(pid_t pid, Path out, Path err)
      : pid_(pid), out_(std::move(out)), err_(std::move(err)) {}
  ~Background();
  Background(const Background&) = delete;
  Background& operator=(const Background&) = delete;

  pid_t pid() const { return pid_; }
  void signal(int number) const;
  void signal_group(int number) const;  // of a program with its own_group
  std::string out_so_far() const;
  std::string err_so_far() const;
  // Fails the test if it takes minutes.
  Outcome wait();

 private:
  pid_t pid_;
  bool reaped_ = false;
  Path out_;
  Path err_;
};

class Sandbox {
 public:
  // `name`: of the folder the test works in, for those with difficult characters.
  explicit Sandbox(const std::string& name = "here");
  ~Sandbox();
  Sandbox(const Sandbox&) = delete;
  Sandbox& operator=(const Sandbox&) = delete;

  const Path& folder() const { return folder_; }
  // Relative names are below folder().
  Path at(const Path& name) const { return folder_ / name; }
  void write(const Path& name, const std::string& text) const;
  std::string read(const Path& name) const;  // "" if it does not exist
  bool exists(const Path& name) const;
  std::vector<std::string> list(const Path& name) const;
  void replace(const Path& name, const std::string& from, const std::string& to) const;

  Outcome headway(const Words& arguments, const Surroundings& where = {}) const;
  Outcome program(const Words& command, const Surroundings& where = {}) const;
  Outcome sh(const std::string& script, const Surroundings& where = {}) const;
  std::unique_ptr<Background> start(const Words& arguments, const Surroundings& where = {}) const;
  std::unique_ptr<Background> start_program(const Words& command,
                                            const Surroundings& where = {}) const;

  // Lines that stages appended to ran.txt since the last call, sorted.
  Words ran() const;
  // Every file below a folder, by relative name; links are followed. `leave_out`: of file names.
  std::map<std::string, std::string> contents(const Path& name, const Words& leave_out = {}) const;
  // The result of `export` without the provenance, which contains times.
  std::map<std::string, std::string> exported(const Path& outputs = "outputs") const;
  // Changes the result's record as if its numbers had been computed with something else.
  void set_numerics(const std::string& key, const std::string& numerics) const;
  // Leftovers that runs should not leave in the store: work folders and locks.
  Words leftovers(const Path& outputs = "outputs") const;
  // Partly written files that a kill may leave; gc removes them.
  Words temporaries(const Path& outputs = "outputs") const;

 private:
  Path root_;
  Path folder_;
  mutable int processes_ = 0;
  mutable int exports_ = 0;
};

const std::string& program_path();
bool has_worker();  // beside the program

// For tests that use `ulimit -v`: the address sanitizer needs terabytes of addresses for itself.
void skip_unless_memory_can_be_limited();

// Of `run --json`: one object for each line. Fails the test if a line is not one.
std::vector<Json> events(const std::string& text);

bool is_running(pid_t pid);  // a zombie is not
// Tries for minutes; false if it never became true.
bool eventually(const std::function<bool()>& condition);
void sleep_ms(double milliseconds);
Words lines(const std::string& text);

}  // namespace headway::e2e
