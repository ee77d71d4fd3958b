#include "lib/cluster/detached.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "lib/base/error.h"
#include "lib/cluster/allocation_files.h"
#include "lib/cluster/attempt_end.h"
#include "lib/cluster/session.h"

namespace headway {
namespace {

// The clocks of nodes differ, and their files may appear late.
constexpr std::int64_t kSignOfLife = 60;  // seconds

std::optional<AgentState> live_state(FileSystem& files, const Path& life) {
  try {
    const std::optional<AgentState> state =
        AgentState::parse(files.read(life / allocation_files::kState).value_or(""));
    // By the node's clock or by that of the file system: one of them may be wrong.
    const std::optional<FileInfo> info = files.info(life / allocation_files::kState);
    constexpr std::int64_t kSecond = 1'000'000'000;
    const std::int64_t written =
        std::max(state ? state->time : 0, info ? info->mtime_ns / kSecond : 0);
    if (state && files.now_ns() / kSecond - written < kSignOfLife) return state;
  } catch (const Error&) {
  }
  return std::nullopt;
}

std::vector<Path> unheld_sessions(FileSystem& files, const Path& folder) {
  std::vector<Path> sessions = sessions_in(files, folder, "");
  std::erase_if(sessions, [&](const Path& session) {
    try {
      return files.is_locked(lock_of(session));
    } catch (const Error&) {
      return true;
    }
  });
  return sessions;
}

bool has_live_agent(FileSystem& files, const Path& session) {
  try {
    const Path allocations = session / ClusterSession::kAllocations;
    for (const std::string& allocation : files.list(allocations)) {
      for (const std::string& life : files.list(allocations / allocation)) {
        if (live_state(files, allocations / allocation / life)) return true;
      }
    }
  } catch (const Error&) {
  }
  return false;
}

StageJob job_in(const Path& session, const SentAttempt& sent) {
  StageJob job;
  job.work = session / ClusterSession::kAttempts / sent.id;
  return job;
}

bool has_ended_attempt(FileSystem& files, const Path& session) {
  return std::ranges::any_of(ClusterSession::sent(files, session), [&](const SentAttempt& sent) {
    return read_end(files, job_in(session, sent)).has_value();
  });
}

std::optional<DetachedAttempt> look_at(FileSystem& files, const Path& session,
                                       const SentAttempt& sent) {
  if (read_end(files, job_in(session, sent)))
    return DetachedAttempt{sent.key, 0, "has ended on the cluster", true};
  const Path life = sent.allocation / sent.life;
  const std::optional<AgentState> state = live_state(files, life);
  if (!state) return std::nullopt;
  const auto hello = read_struct<AgentHello>(files, life / allocation_files::kHello);
  if (!hello) return std::nullopt;
  const auto stage = state->stages.find(sent.id);  // it may have come since the state was written
  return DetachedAttempt{sent.key, stage == state->stages.end() ? 0 : stage->second.since,
                         fmt::format("on {} (job {})", hello->node, hello->job)};
}

}  // namespace

std::vector<DetachedAttempt> detached_attempts(FileSystem& files, const Path& folder) {
  std::vector<DetachedAttempt> attempts;
  for (const Path& session : unheld_sessions(files, folder)) {
    for (const SentAttempt& sent : ClusterSession::sent(files, session)) {
      try {
        if (auto attempt = look_at(files, session, sent)) attempts.push_back(std::move(*attempt));
      } catch (const Error&) {  // it may not be read
      }
    }
  }
  return attempts;
}

bool has_detached_agents(FileSystem& files, const Path& folder) {
  return std::ranges::any_of(unheld_sessions(files, folder),
                             [&](const Path& session) { return has_live_agent(files, session); });
}

void remove_dead_sessions(FileSystem& files, const Path& folder) {
  for (const Path& session : unheld_sessions(files, folder)) {
    if (!has_live_agent(files, session) && !has_ended_attempt(files, session))
      remove_session(files, session);
  }
  for (const Path& session : removed_sessions_in(files, folder)) remove_session(files, session);
}

}  // namespace headway
