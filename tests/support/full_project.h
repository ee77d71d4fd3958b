// A project in memory with one of everything that the store keeps: files, a folder, nested outputs,
// fan-ins, metrics with an expectation, stages of one key, a stage with its inputs' provenance, one
// that resumes from its partial state, and one that continues a shorter run. For tests that disturb
// runs; it has the checks for afterwards too.
#pragma once

#include <map>
#include <string>

#include "tests/support/project.h"

namespace headway::testing {

class FullProject : public Project {
 public:
  FullProject() : FullProject(std::make_shared<MemoryFileSystem>()) {}
  explicit FullProject(std::shared_ptr<MemoryFileSystem> shared);

  // Another command for its first stage, on which all others rest.
  void change_first_stage();

  bool stop_early = false;  // the stage with a partial state fails half-way

  // The run that the tests end with; and one before it, which leaves a partial state and a shorter
  // walk.
  static RunSettings whole() { return {.sets = {"steps=4"}}; }
  static RunSettings shorter() { return {.sets = {"steps=2"}, .keep_going = true}; }

 private:
  StageResult list_sources(const StageJob& job);
  StageResult count(const StageJob& job);
  StageResult walk(const StageJob& job);
};

// What a person sees in outputs/: every name, and the contents that links lead to.
std::map<std::string, std::string> seen(Project& project);
// All that a failed run said: its error and the messages of its stages.
std::string said(const Outcome& outcome);
// What is wrong with the store after a run: a record or object that the run rests on, a work folder
// that a dead run left, or damage elsewhere that `headway verify` does not remove. "" for nothing.
std::string faults_of_store(Project& project, const RunSettings& settings);
// What `headway gc` does in memory: keeps what the run needs, and the last results of all
// pipelines. Says why nothing was removed, or nothing.
std::string collect_garbage(Project& project, const RunSettings& settings);

// Runs it until it is right: the next run, or the one after a failure that said what is wrong; the
// run after that has nothing to do, and the store is whole. Says what is wrong, or nothing.
std::string recover(Project& project, const RunSettings& settings,
                    const std::map<std::string, std::string>& expected);

}  // namespace headway::testing
