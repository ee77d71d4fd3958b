// A clock that only tests move, for deadlines of jobs.
#pragma once

#include <atomic>
#include <chrono>

#include "lib/worker/process_loop.h"

namespace headway::testing {

class FakeClock {
 public:
  ProcessLoop::Now now() {
    return [this] {
      return ProcessLoop::Clock::time_point(ProcessLoop::Clock::duration(now_.load()));
    };
  }
  // The caller must wake the loop, unless the loop itself calls this.
  void advance(double seconds) {
    now_ += std::chrono::duration_cast<ProcessLoop::Clock::duration>(
                std::chrono::duration<double>(seconds))
                .count();
  }

 private:
  std::atomic<ProcessLoop::Clock::rep> now_ = 1'000'000'000'000;
};

}  // namespace headway::testing
