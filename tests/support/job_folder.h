// A folder for the jobs of one test, and helpers for tests of workers.
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
  // The job writes below path()/name, each output to a file of its name.
  StageJob job(const std::string& name, const std::string& type, Json params,
               std::initializer_list<const char*> outputs) const;

 private:
  Path path_;
};

std::string contents(const Path& file);  // "" if it does not exist
std::string output_of(const StageJob& job, const std::string& name);
int pid_in_log(const StageJob& job);  // test stages print their pid first
// Starts the job and waits for its end.
StageResult run(StageExecutor& executor, const StageJob& job, double timeout_seconds = 0);
StageResult run(StageExecutor& executor, const StageJob& job, double timeout_seconds,
                ProgressSink progress, const Interrupt& interrupt);
inline const ProgressSink kNoProgress = [](double, const std::string&) {};
// A job that was started.
class StartedJob {
 public:
  // The job and the interrupt must outlive the object.
  StartedJob(StageExecutor& executor, const StageJob& job, double timeout_seconds,
             ProgressSink progress, const Interrupt& interrupt);
  StageResult wait() { return ended_.get_future().get(); }  // call once

 private:
  std::promise<StageResult> ended_;
};

std::string variable(const char* name);  // environment variable; throws Error if it is not set

}  // namespace headway::testing
