// Receives the events of a run: the terminal, the log, JSON events, the trace and tests implement
// it. Observers cannot influence the run.
#pragma once

#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "lib/base/file_system.h"
#include "lib/base/json.h"
#include "lib/stage/executor.h"
#include "lib/stage/stage_status.h"
#include "lib/store/record.h"

namespace headway {

struct RunInfo {
  std::string id;
  std::string pipeline;  // label: name[/variant]
  Path outputs;
  std::size_t selected = 0;  // number of selected stages
  std::size_t fresh = 0;     // of these, fresh before the run started
  int cpus = 1;
  // For a client that runs stages in variations: it sets both fields and reports progress through
  // headline_changed() and variation_finished(). Observers then leave out short stages.
  std::string variations = {};           // "9 runs"; empty: no variations
  Json fields = {};                      // more fields of the JSON event
  std::vector<std::string> queued = {};  // selected stages that are not fresh
};

struct StageStart {
  std::string stage;
  std::string reason;           // "param epochs: 30 -> 40"
  double expected_seconds = 0;  // from earlier runs; 0: unknown
  int cpus = 1;
  int attempt = 1;
};

struct StageEnd {
  std::string stage = {};
  StageStatus status = StageStatus::kDone;  // a final status
  double seconds = 0;
  double cpu_seconds = 0;
  std::uint64_t peak_memory = 0;
  std::uint64_t memory_asked = 0;  // bytes; 0: it asked for none
  std::string key = {};
  std::string message = {};      // why it failed or was skipped
  std::string warning = {};      // expectations that it misses and that only warn
  std::string node = {};         // the machine of a cluster that ran it
  bool is_left_running = false;  // if cancelled: the cluster goes on with it
  std::string command = {};      // if a command failed
  std::string log_tail = {};     // last lines of a failed stage's log
  Path log = {};
  std::shared_ptr<const Record> record = {};  // null: it has no result; may be only `remembered`
  Path folder = {};                           // where its outputs are shown
};

struct RunSummary {
  double seconds = 0;
  std::size_t done = 0, fresh = 0, failed = 0, cancelled = 0, skipped = 0, not_started = 0;
  bool interrupted = false;
  int exit_code = 0;
  std::vector<std::string> lost = {};  // failed, cancelled or skipped stages
};

// Progress of a run with variations, worded by the client.
struct Headline {
  std::string text;       // for people: "4 of 9 finished, 2 running"
  std::size_t ended = 0;  // finished variations; a log repeats the headline only if this changed
  Json event = {};        // for programs: a complete event
};

// The end of one variation, worded by the client.
struct VariationEnd {
  std::string text;  // for people: "seed=2: greedy 0.98"
  Json event = {};   // for programs: a complete event
};

class Observer {
 public:
  virtual ~Observer() = default;
  virtual void run_started(const RunInfo&) {}
  virtual void stage_started(const StageStart&) {}
  // `fraction`: 0..1 or kUnknownFraction.
  virtual void stage_progress(const std::string& /*stage*/, double /*fraction*/,
                              const std::string& /*words*/) {}
  // A job of a cluster has moved.
  virtual void stage_placed(const std::string& /*stage*/, const JobPlace&) {}
  virtual void stage_finished(const StageEnd&) {}
  virtual void headline_changed(const Headline&) {}
  virtual void variation_finished(const VariationEnd&) {}
  virtual void warning(const std::string&) {}
  virtual void run_finished(const RunSummary&) {}
};

// Forwards events to all observers, one at a time: observers need no locks of their own.
class Observers final : public Observer {
 public:
  void add(std::unique_ptr<Observer> observer) { observers_.push_back(std::move(observer)); }

  void run_started(const RunInfo& info) override { notify(&Observer::run_started, info); }
  void stage_started(const StageStart& start) override { notify(&Observer::stage_started, start); }
  void stage_progress(const std::string& stage, double fraction,
                      const std::string& words) override {
    notify(&Observer::stage_progress, stage, fraction, words);
  }
  void stage_placed(const std::string& stage, const JobPlace& place) override {
    notify(&Observer::stage_placed, stage, place);
  }
  void stage_finished(const StageEnd& end) override { notify(&Observer::stage_finished, end); }
  void headline_changed(const Headline& headline) override {
    notify(&Observer::headline_changed, headline);
  }
  void variation_finished(const VariationEnd& end) override {
    notify(&Observer::variation_finished, end);
  }
  void warning(const std::string& text) override { notify(&Observer::warning, text); }
  void run_finished(const RunSummary& summary) override {
    notify(&Observer::run_finished, summary);
  }

 private:
  template <class Event, class... Arguments>
  void notify(Event event, const Arguments&... arguments) {
    const std::lock_guard lock(mutex_);
    for (const auto& observer : observers_) ((*observer).*event)(arguments...);
  }

  std::mutex mutex_;
  std::vector<std::unique_ptr<Observer>> observers_;
};

}  // namespace headway
