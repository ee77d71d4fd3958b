// A folder of its own for the jobs of one test, and the little that tests of workers repeat.
#pragma once

#include <future>
#include <initializer_list>
#include <string>

#include "lib/base/file_system.h"
#include "lib/stage/executor.h"
#include "lib/stage/stage_type.h"

namespace headway::testing {

class JobFolder {
 public:
  JobFolder();
  ~JobFolder();
  JobFolder(const JobFolder&) = delete;
  JobFolder& operator=(const JobFolder&) = delete;

  const Path& path() const { return path_; }
  // Everything the job writes goes below path()/name, each output into a file of its name.
  StageJob job(const std::string& name, const std::string& type, Json params,
               std::initializer_list<const char*> outputs) const;

 private:
  Path path_;
};

std::string contents(const Path& file);  // "" where there is none
std::string output_of(const StageJob& job, const std::string& name);
int pid_in_log(const StageJob& job);  // the test stages print theirs first
// Starts the job and waits for its end.
StageResult run(StageExecutor& executor, const StageJob& job, double timeout_seconds = 0);
StageResult run(StageExecutor& executor, const StageJob& job, double timeout_seconds,
                ProgressSink progress, const Interrupt& interrupt);
// A job that was started.
class StartedJob {
 public:
  // The job and the interrupt must outlive it.
  StartedJob(StageExecutor& executor, const StageJob& job, double timeout_seconds,
             ProgressSink progress, const Interrupt& interrupt);
  StageResult wait() { return ended_.get_future().get(); }  // once

 private:
  std::promise<StageResult> ended_;
};

std::string variable(const char* name);  // of the environment; Error where it is not set

}  // namespace headway::testing
