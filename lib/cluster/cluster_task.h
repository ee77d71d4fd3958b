// A stage on the cluster, as the executor keeps it.
#pragma once

#include <optional>
#include <string>

#include "lib/cluster/allocation.h"
#include "lib/cluster/clock.h"
#include "lib/stage/executor.h"

namespace headway {

// A stage that has started and not ended.
struct ClusterTask {
  const StageJob& job;
  const std::string id;
  const double timeout;
  const JobEvents events;
  const Interrupt& interrupt;
  Resources resources = {};  // what the site gives it
  std::string group = {};
  Allocation* at = nullptr;  // where it was sent; null: nowhere yet
  std::string life = {};     // of the agent that has it
  bool has_begun = false;
  bool is_sent_again = false;  // by the run that took it over
  bool is_told_to_stop = false;
  bool is_told_to_die = false;
  SteadyClock::time_point stop_sent = {};
  SteadyClock::time_point next_look = {};  // for its record
  bool is_said_to_have_ended = false;      // by its agent, which has written its record
  std::optional<SteadyClock::time_point> no_record = {};   // since there should be one
  std::optional<SteadyClock::time_point> incomplete = {};  // since it lacks outputs
  double pause = 0.01;
  std::string place = {};  // as last told
};

}  // namespace headway
