#include "lib/base/thread.h"

#include <latch>
#include <system_error>
#include <utility>
#include <vector>

#include "lib/base/error.h"

namespace headway {

std::thread start_thread(std::function<void()> body) {
  try {
    return std::thread(std::move(body));
  } catch (const std::system_error& error) {
    throw Error(
        "cannot start a thread: {}; allow more processes or memory (ulimit -u, ulimit "
        "-v), or use fewer cpus",
        describe_errno(error.code().value()));
  }
}

void check_room_for_threads(std::size_t count) {
  std::latch all_started(1);
  std::vector<std::thread> threads;
  threads.reserve(count);
  const auto end = [&] {
    all_started.count_down();
    for (std::thread& thread : threads) thread.join();
  };
  try {
    while (threads.size() < count)
      threads.push_back(start_thread([&all_started] { all_started.wait(); }));
  } catch (...) {  // a thread that is not joined would end the process
    end();
    throw;
  }
  end();
}

}  // namespace headway
