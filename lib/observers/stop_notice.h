// Answers the first ctrl-C at once: stages may take seconds to save their state.
#pragma once

#include <thread>

#include "lib/base/descriptor.h"
#include "lib/base/interrupt.h"
#include "lib/run/observer.h"

namespace headway {

// While it lives, sends a warning to `people` when the interrupt is raised, from a thread of its
// own. Both arguments must outlive it.
class StopNotice {
 public:
  // `detaches`: stages go on without us.
  StopNotice(const Interrupt& interrupt, Observer& people, bool detaches = false);
  ~StopNotice();
  StopNotice(const StopNotice&) = delete;
  StopNotice& operator=(const StopNotice&) = delete;

 private:
  void wait();

  const Interrupt& interrupt_;
  Observer& people_;
  const bool detaches_;
  const Descriptor end_;  // an eventfd
  std::thread thread_;
};

}  // namespace headway
