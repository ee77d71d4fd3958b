#include "lib/cluster/loss.h"

#include <fmt/format.h>

#include "lib/base/text.h"

namespace headway {

StageResult loss_of(const Allocation& at) {
  const std::uint64_t asked = at.request().memory;
  const std::uint64_t used = at.state().memory;
  const std::string how = at.phase != Allocation::Phase::kEnded ? "was restarted"
                          : at.job.state.empty()                ? "is gone"
                                                                : "ended: " + at.job.state;
  StageResult result{StageResult::Status::kLost, at.describe() + " " + how};
  if (!at.job.exit_code.empty() && at.job.exit_code != "0:0")
    result.message += ", exit " + at.job.exit_code;
  if (!at.life().empty()) result.machine = at.hello().machine;
  const bool was_killed =
      at.job.exit_code.ends_with(":9") && asked > 0 && used > 0.6 * static_cast<double>(asked);
  if (at.job.state != "OUT_OF_MEMORY" && !was_killed) return result;
  result.message = fmt::format("out of memory ({})", result.message);
  if (used > 0 && asked > 0)
    result.message +=
        fmt::format("; last seen: {} of {} asked", format_bytes(used), format_bytes(asked));
  // If it was alone, it would happen again.
  const std::size_t together =
      at.phase == Allocation::Phase::kEnded ? at.attempts_at_end : at.attempts.size();
  if (together == 1) {
    result.status = StageResult::Status::kFailed;
    result.message += "; ask for more with `resources: {memory: …}`";
  }
  result.peak_memory = used;
  return result;
}

}  // namespace headway
