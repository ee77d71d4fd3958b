// A project in memory with everything that the store keeps: files, a folder, nested outputs,
// fan-ins, metrics with an expectation, stages with equal keys, a stage that reads provenance, one
// that resumes from its partial state, and one that continues a shorter run. For tests that disturb
// runs, with checks for afterwards.
#pragma once

#include <map>
#include <string>

#include "tests/support/project.h"

namespace headway::testing {

class FullProject : public Project {
 public:
  FullProject() : FullProject(std::make_shared<MemoryFileSystem>()) {}
  explicit FullProject(std::shared_ptr<MemoryFileSystem> shared);

  // Changes the command of the first stage, on which all others depend.
  void change_first_stage();

  bool stop_early = false;  // the stage with a partial state fails half-way

  // The run that tests end with, and an earlier one that leaves a partial state and a shorter walk.
  static RunSettings whole() { return {.sets = {"steps=4"}}; }
  static RunSettings shorter() { return {.sets = {"steps=2"}, .keep_going = true}; }

 private:
  StageResult list_sources(const StageJob& job);
  StageResult count(const StageJob& job);
  StageResult walk(const StageJob& job);
};

// What people see in outputs/: every name, and the contents that links lead to.
std::map<std::string, std::string> seen(Project& project, const RunSettings& settings = {});
// Everything a failed run reported: its error and the messages of its stages.
std::string said(const Outcome& outcome);
// Describes faults of the store after a run: in a record or object that the run needs, a work
// folder of a dead run, or damage that `headway verify` does not remove; "" if there are none.
std::string faults_of_store(Project& project, const RunSettings& settings);
// Like `headway gc`: keeps what the run needs, and the last results of all pipelines. Returns why
// nothing was removed; "" on success.
std::string collect_garbage(Project& project, const RunSettings& settings);

// Runs it until it succeeds, at once or after a failure with a message. The next run must have
// nothing to do, and the store must be intact. Returns what is wrong; "" if nothing is.
std::string recover(Project& project, const RunSettings& settings,
                    const std::map<std::string, std::string>& expected);

}  // namespace headway::testing
