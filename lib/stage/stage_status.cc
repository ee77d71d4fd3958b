#include "lib/stage/stage_status.h"

#include <cstddef>

namespace headway {

const char* status_name(StageStatus status) {
  static constexpr const char* kNames[] = {"waiting", "ready",  "running",   "fresh",
                                           "done",    "failed", "cancelled", "skipped"};
  return kNames[static_cast<std::size_t>(status)];
}

}  // namespace headway
