// What runs have left on a cluster: for verbs that look, and for gc. Takes nothing over and never
// throws.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "lib/base/digest.h"
#include "lib/base/file_system.h"

namespace headway {

// A stage that was sent to an agent by a run that has ended.
struct DetachedAttempt {
  Digest key;
  std::int64_t since = 0;  // unix seconds; 0: it has not begun, or has ended
  std::string words = {};  // for a person: "on n2 (job 17)", "has ended on the cluster"
  bool has_ended = false;
};

// Of all sessions that no run holds: what still runs, or has ended unseen. `folder`: that of all
// sessions.
std::vector<DetachedAttempt> detached_attempts(FileSystem& files, const Path& folder);

// Whether an agent has shown a sign of life in the last minute, in a session that no run holds.
bool has_detached_agents(FileSystem& files, const Path& folder);

// Removes sessions that no run holds, no agent is alive in, and no stage has ended in: the next run
// takes those over. Call it while no run can begin.
void remove_dead_sessions(FileSystem& files, const Path& folder);

}  // namespace headway
