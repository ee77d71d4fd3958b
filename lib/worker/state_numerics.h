// What the state in a job's {partial} was computed with, in a file beside that folder. Other
// processors and libraries give other bytes, so a state is continued only with what made it, unless
// the job allows more. Whoever copies or removes the folder does the same with the file. A state
// without it, of an older version, is accepted.
#pragma once

#include <string>
#include <vector>

#include "lib/stage/stage_type.h"

namespace headway {

class StateNumerics {
 public:
  // In the folder of a state that longer runs continue, and in {partial} of older versions.
  static constexpr const char* kFile = ".headway-numerics";
  // Added to the name of {partial}. Not ".numerics": gc takes what precedes the last dot for a key.
  static constexpr const char* kSuffix = "-numerics";
  static Path note_of(const Path& partial) { return partial.string() + kSuffix; }

  // `here`: what this job computes with. The job must outlive the object.
  StateNumerics(const StageJob& job, const std::string& here) : job_(job), all_{here} {}

  // Call before the job starts: removes a state that it must not continue. Throws Error.
  void check();
  // Writes the file, if it does not say the same already. Call before there is a state. Throws
  // Error.
  void note() const;

  // What the user should know; "": nothing.
  const std::string& notice() const { return notice_; }
  // What the job's result depends on: "A", or "A, then B" if a state made with A is continued with
  // B.
  std::string text() const;

 private:
  bool has_state() const;

  const StageJob& job_;
  std::vector<std::string> all_;  // each once; usually only that of this job
  std::string notice_;
};

}  // namespace headway
