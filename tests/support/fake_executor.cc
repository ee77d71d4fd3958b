#include "tests/support/fake_executor.h"

#include <poll.h>

#include <algorithm>
#include <chrono>
#include <utility>

#include "lib/base/error.h"
#include "lib/base/text.h"

namespace headway::testing {

void FakeExecutor::on(const std::string& stage, Behaviour behaviour) {
  const std::lock_guard lock(mutex_);
  behaviours_[stage] = std::move(behaviour);
}

FakeExecutor::~FakeExecutor() {
  for (Thread& thread : threads_) thread.thread.join();
}

void FakeExecutor::start(const StageJob& job, double timeout_seconds, JobEvents events,
                         const Interrupt& const_interrupt) {
  auto& interrupt = const_cast<Interrupt&>(const_interrupt);  // behaviours may press ctrl-C
  std::unique_lock lock(mutex_);
  ran_.push_back(job.stage);
  timeouts_[job.stage] = timeout_seconds;
  if (keep_jobs) jobs_[job.stage] = job;
  const auto found = behaviours_.find(job.stage);
  const Behaviour behaviour = found == behaviours_.end() ? nullptr : found->second;
  if (!behaviour) {
    lock.unlock();
    events.ended(run(job, nullptr, events.progress, interrupt));
    return;
  }
  join_ended_threads();
  auto has_ended = std::make_shared<std::atomic<bool>>(false);
  threads_.push_back({std::thread([=, this, &job, &interrupt] {
                        events.ended(run(job, behaviour, events.progress, interrupt));
                        *has_ended = true;
                      }),
                      has_ended});
}

void FakeExecutor::join_ended_threads() {
  std::erase_if(threads_, [](Thread& thread) {
    if (!*thread.has_ended) return false;
    thread.thread.join();
    return true;
  });
}

StageResult FakeExecutor::run(const StageJob& job, const Behaviour& behaviour,
                              const ProgressSink& progress, Interrupt& interrupt) {
  const int now = ++running_;
  for (int most = most_at_once_; now > most && !most_at_once_.compare_exchange_weak(most, now);) {
  }
  StageResult result;
  try {
    result = behaviour ? behaviour(job, progress, interrupt) : work(job);
  } catch (const Error& error) {  // a full disk fails the stage's program too
    result = failed(error.what());
  }
  --running_;
  return result;
}

StageResult FakeExecutor::work(const StageJob& job) {
  const std::string run = job.params.value("run", "");
  const std::string command(trim(run.substr(0, run.find('#'))));
  files_.append(job.log, "running " + job.stage + "\n");
  const std::vector<std::string> words = split(command, ' ');
  if (std::find(words.begin(), words.end(), "fail") != words.end()) {
    files_.append(job.log, "about to fail\n");
    return failed("exit code 1");
  }
  std::string text = command + "\n";
  for (const InputPaths& input : job.inputs) {
    for (std::size_t i = 0; i < input.paths.size(); ++i) {
      text += input.port + (input.items[i].empty() ? "" : "@" + input.items[i]) + ": [" +
              contents_of(input.paths[i]) + "]\n";
    }
  }
  for (const auto& [name, path] : job.outputs) write_output(name, path, command, text);
  StageResult result;
  result.cpu_seconds = 0.5;
  result.peak_memory = 1000;
  return result;
}

std::string FakeExecutor::contents_of(const Path& path) {
  const std::optional<std::string> link = files_.read_link(path);
  if (link) return contents_of(path.parent_path() / *link);
  const std::optional<FileInfo> info = files_.info(path);
  if (!info) throw Error(path.string() + " is not there");
  if (!info->is_directory()) return files_.read(path).value_or("");
  std::string text;
  for (const std::string& name : files_.list(path))
    text += name + "=" + contents_of(path / name) + ";";
  return text;
}

void FakeExecutor::write_output(const std::string& name, const Path& path,
                                const std::string& command, const std::string& text) {
  if (name == "folder") {
    files_.make_directories(path / "inner");
    files_.write(path / "first.txt", text, Durability::kCached);
    files_.write(path / "inner" / "second.txt", "of " + text, Durability::kCached);
  } else if (name == "metrics") {
    Json metrics = Json::object();
    for (const std::string& word : split(command, ' ')) {
      const std::size_t equals = word.find('=');
      if (equals != std::string::npos)
        metrics[word.substr(0, equals)] = std::stod(word.substr(equals + 1));
    }
    files_.write(path, metrics.dump(), Durability::kCached);
  } else {
    files_.write(path, text, Durability::kCached);
  }
}

std::vector<std::string> FakeExecutor::take_ran() {
  const std::lock_guard lock(mutex_);
  return std::exchange(ran_, {});
}

std::vector<std::string> FakeExecutor::ran() {
  const std::lock_guard lock(mutex_);
  return ran_;
}

double FakeExecutor::last_timeout(const std::string& stage) {
  const std::lock_guard lock(mutex_);
  return timeouts_.at(stage);
}

StageJob FakeExecutor::last_job(const std::string& stage) {
  const std::lock_guard lock(mutex_);
  return jobs_.at(stage);
}

StageResult hang_until_interrupted(Interrupt& interrupt) {
  pollfd wait{interrupt.descriptor(), POLLIN, 0};
  ::poll(&wait, 1, 60'000);
  StageResult result;
  result.status = StageResult::Status::kCancelled;
  result.message = "interrupted";
  return result;
}

StageResult failed(const std::string& message) {
  StageResult result;
  result.status = StageResult::Status::kFailed;
  result.message = message;
  return result;
}

void Gate::open() {
  const std::lock_guard lock(mutex_);
  open_ = true;
  changed_.notify_all();
}

bool Gate::wait() {
  std::unique_lock lock(mutex_);
  return changed_.wait_for(lock, std::chrono::minutes(10), [&] { return open_; });
}

}  // namespace headway::testing
