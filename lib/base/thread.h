// Threads whose start can fail with a sentence.
#pragma once

#include <cstddef>
#include <functional>
#include <thread>

namespace headway {

// Throws Error where the system has no room for one more.
std::thread start_thread(std::function<void()> body);

// Starts that many threads at once and ends them again; throws Error where that fails. For
// libraries that end the process when they cannot start a thread.
void check_room_for_threads(std::size_t count);

}  // namespace headway
