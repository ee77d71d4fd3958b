#include "lib/observers/stop_notice.h"

#include <fmt/format.h>
#include <poll.h>
#include <sys/eventfd.h>

#include "lib/base/text.h"
#include "lib/base/thread.h"
#include "lib/worker/process_job.h"

namespace headway {

StopNotice::StopNotice(const Interrupt& interrupt, Observer& people, bool detaches)
    : interrupt_(interrupt),
      people_(people),
      detaches_(detaches),
      end_(::eventfd(0, EFD_CLOEXEC)),
      thread_(start_thread([this] { wait(); })) {}

StopNotice::~StopNotice() {
  ::eventfd_write(end_.get(), 1);
  thread_.join();
}

void StopNotice::wait() {
  pollfd waiting[] = {{interrupt_.descriptor(), POLLIN, 0}, {end_.get(), POLLIN, 0}};
  while (::poll(waiting, 2, -1) < 0) {  // a signal
  }
  // Whoever wants to stop at once has no use for a notice.
  if (interrupt_.level() != Interrupt::kStop) return;
  people_.warning(
      detaches_ ? "detaching: running stages go on; run again with --on slurm to take them over"
                : fmt::format("stopping: running stages have {} to save their state; ctrl-C "
                              "again stops now",
                              format_duration(ProcessLimits().stop_grace)));
}

}  // namespace headway
