// Time as engine and agent count it.
#pragma once

#include <chrono>

namespace headway {

using SteadyClock = std::chrono::steady_clock;

inline double seconds_since(SteadyClock::time_point then) {
  return std::chrono::duration<double>(SteadyClock::now() - then).count();
}

inline SteadyClock::time_point seconds_from_now(double seconds) {
  return SteadyClock::now() +
         std::chrono::duration_cast<SteadyClock::duration>(std::chrono::duration<double>(seconds));
}

}  // namespace headway
