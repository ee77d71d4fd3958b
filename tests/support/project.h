// A project in memory: pipelines as YAML text, a store and a fake executor. Runs like `headway
// run`; every run opens the store again, as another process would.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "lib/run/plan.h"
#include "lib/run/runner.h"
#include "lib/spec/document.h"
#include "lib/spec/load.h"
#include "tests/support/fake_executor.h"
#include "tests/support/faulty_file_system.h"
#include "tests/support/memory_file_system.h"
#include "tests/support/recording_observer.h"

namespace headway::testing {

struct RunSettings {
  std::string file = "p.yaml";
  std::string variant = {};
  std::vector<std::string> sets = {};
  std::vector<std::string> targets = {};  // empty: all
  std::vector<std::string> only = {};     // empty: no restriction
  std::vector<std::string> force = {};
  int cpus = 1;
  std::uint64_t memory = 0;
  bool keep_going = false;
  int gpus = 0;
};

struct Outcome {
  int exit_code = 0;
  std::string error;  // thrown by the run
  RunSummary summary;
  std::vector<std::string> ran;
  std::map<std::string, std::string> statuses;
  std::vector<std::string> warnings;
  std::vector<std::string> events;
  std::map<std::string, std::string> messages;  // by stage; stages without a message are left out
};

class Project {
 public:
  Project() : Project(std::make_shared<MemoryFileSystem>()) {}
  // Like another process that works on the same disk.
  explicit Project(std::shared_ptr<MemoryFileSystem> shared);

  // Writes p.yaml or another file beside it.
  void write(const std::string& yaml, const std::string& file = "p.yaml");
  Outcome run(const RunSettings& settings = {});
  // Later runs behave like a new process.
  void forget_interrupt() { interrupt = std::make_unique<Interrupt>(); }
  PipelineSpec load(const RunSettings& settings = {});
  // The plan of a run, computed without writing to the store.
  Plan plan(const RunSettings& settings = {});
  std::string reason_of(const std::string& stage, const RunSettings& settings = {});
  Digest key_of(const std::string& stage, const RunSettings& settings = {});

  // A file in outputs/, with links followed; "" if it does not exist.
  std::string shown(const std::string& path);
  // All of outputs/ except the store: names and links.
  std::map<std::string, std::string> shown_tree() { return disk.tree(outputs, ".headway"); }
  std::optional<Record> record_of(const std::string& stage, const RunSettings& settings = {});
  Path object_of(const std::string& stage, const std::string& output = "o");

  const Path folder = "/headway-test/project";
  const Path outputs = folder / "outputs";
  const Layout layout{outputs};
  const std::shared_ptr<MemoryFileSystem> shared_disk;
  MemoryFileSystem& disk = *shared_disk;
  FaultyFileSystem files{disk};
  FakeExecutor executor{files};
  StageRegistry stages;
  std::vector<FileSection> sections;  // more sections that files may have
  std::unique_ptr<Interrupt> interrupt = std::make_unique<Interrupt>();
  std::function<void(const std::string& event)> when;  // called for every event of a run
  std::vector<StageStart> starts;                      // of the last run
  std::map<std::string, StageEnd> reports;             // of the last run, by stage

 private:
  void run_into(const RunSettings& settings, RecordingObserver& observer, Outcome& outcome);
};

// Sets an environment variable while it exists; then the variable is as before.
class ScopedVariable {
 public:
  ScopedVariable(std::string name, const char* value);
  ~ScopedVariable();
  ScopedVariable(const ScopedVariable&) = delete;
  ScopedVariable& operator=(const ScopedVariable&) = delete;
  void set(const char* value);  // null: unsets it

 private:
  std::string name_;
  std::optional<std::string> before_;
};

using Names = std::vector<std::string>;
Names sorted(Names names);

}  // namespace headway::testing
