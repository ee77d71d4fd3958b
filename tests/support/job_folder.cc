#include "tests/support/job_folder.h"

#include <fmt/format.h>

#include <cstdio>
#include <cstdlib>

#include <utility>

#include "lib/base/error.h"

namespace headway::testing {

JobFolder::JobFolder() {
  std::string pattern = (std::filesystem::temp_directory_path() / "headway-worker-XXXXXX").string();
  if (!::mkdtemp(pattern.data())) throw Error("cannot make a temporary folder");
  path_ = pattern;
}

JobFolder::~JobFolder() {
  std::error_code ignored;
  std::filesystem::remove_all(path_, ignored);
}

StageJob JobFolder::job(const std::string& name, const std::string& type, Json params,
                        std::initializer_list<const char*> outputs) const {
  const Path folder = path_ / name;
  std::filesystem::create_directories(folder);
  StageJob job;
  job.stage = name;
  job.type = type;
  job.params = std::move(params);
  for (const char* output : outputs) job.outputs.emplace_back(output, folder / output);
  job.work = folder;
  job.partial = folder / "partial";
  job.log = folder / "log";
  return job;
}

std::string contents(const Path& file) {
  return RealFileSystem().read(file).value_or("");
}

std::string output_of(const StageJob& job, const std::string& name) {
  for (const auto& [output, path] : job.outputs) {
    if (output == name) return contents(path);
  }
  throw Error(fmt::format("the job has no output '{}'", name));
}

int pid_in_log(const StageJob& job) {
  int pid = 0;
  if (std::sscanf(contents(job.log).c_str(), "pid %d", &pid) != 1) {
    throw Error(fmt::format("no pid in the log of {}: {}", job.stage, contents(job.log)));
  }
  return pid;
}

StageResult run(StageExecutor& executor, const StageJob& job, double timeout_seconds) {
  return run(
      executor, job, timeout_seconds, [](double, const std::string&) {}, Interrupt());
}

StageResult run(StageExecutor& executor, const StageJob& job, double timeout_seconds,
                ProgressSink progress, const Interrupt& interrupt) {
  return StartedJob(executor, job, timeout_seconds, std::move(progress), interrupt).wait();
}

StartedJob::StartedJob(StageExecutor& executor, const StageJob& job, double timeout_seconds,
                       ProgressSink progress, const Interrupt& interrupt) {
  executor.start(
      job, timeout_seconds,
      {std::move(progress), [this](StageResult result) { ended_.set_value(std::move(result)); }},
      interrupt);
}

std::string variable(const char* name) {
  const char* value = std::getenv(name);
  if (!value) throw Error(fmt::format("{} is not set; run this test with ctest", name));
  return value;
}

}  // namespace headway::testing
