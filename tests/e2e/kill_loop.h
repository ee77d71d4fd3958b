// Kills a process of a run at a random moment, again and again: the run's own two, its workers, its
// stages and their children. Whichever it was, the next run must end where an undisturbed one would
// have, and nothing may be left behind.
#pragma once

#include <array>
#include <cstdint>
#include <random>
#include <string>

#include "tests/e2e/processes.h"
#include "tests/e2e/support.h"

namespace headway::e2e {

enum class Kill { kGuardian, kEngine, kBoth, kWorker, kStage, kGrandchild };
constexpr std::array kAllKills = {Kill::kGuardian, Kill::kEngine, Kill::kBoth,
                                  Kill::kWorker,   Kill::kStage,  Kill::kGrandchild};
const char* name_of(Kill kill);

class KillLoop {
 public:
  // Of commands, which start processes in every possible way, or of a training.
  enum class Pipeline { kCommands, kTraining };

  KillLoop(Pipeline pipeline, std::uint64_t seed);

  // One kill on a new store, and the run after it. Returns what went wrong; "" if nothing did.
  std::string round();

  // Of each kind, in the order of kAllKills. A run may end before its turn to be killed has come.
  const std::array<int, kAllKills.size()>& kills() const { return kills_; }
  int missed() const { return missed_; }

 private:
  std::map<std::string, std::string> results(const std::string& outputs) const;
  Kill choose_kill();
  bool kill_at_random(const Background& run, Kill kill);
  bool kill_one(const Background& run, Kill kill);
  void check_killed_run(const Outcome& outcome, Kill kill, bool hit);
  void check_next_run(const std::string& outputs, Kill kill, bool hit);
  void check_store(const std::string& outputs);
  void check(bool holds, const std::string& otherwise);

  Sandbox sandbox_;
  Pipeline pipeline_;
  std::mt19937_64 random_;
  std::map<std::string, std::string> expected_;
  double whole_ = 0;  // milliseconds that an undisturbed run takes, about
  std::array<int, kAllKills.size()> kills_{};
  int missed_ = 0;
  int rounds_ = 0;
  std::string problems_;
};

}  // namespace headway::e2e
