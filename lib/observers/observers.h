// Observers for people and programs. They are called by one thread at a time (Observers).
#pragma once

#include <spdlog/logger.h>

#include <chrono>
#include <cstdio>
#include <functional>
#include <memory>

#include "lib/run/observer.h"

namespace headway {

// For a terminal: a live line for each running stage with progress and time left, a summary line
// below, finished stages scrolling above. A thread of its own redraws them ten times a second.
std::unique_ptr<Observer> make_terminal_observer(std::FILE* out, bool colours);

// For people without a terminal: log lines. `quiet`: only warnings and failures. A stage's progress
// is logged every 10 s, or every 30 s if it is only words. Tests pass a clock of their own.
using LogClock = std::function<std::chrono::steady_clock::time_point()>;
std::unique_ptr<Observer> make_log_observer(std::shared_ptr<spdlog::logger> logger, bool quiet,
                                            LogClock now = std::chrono::steady_clock::now);

// For programs: one JSON object a line.
std::unique_ptr<Observer> make_json_observer(std::FILE* out);

// Writes trace.json, for the Chrome and Perfetto viewers, and summary.json, for `headway show`,
// into an existing folder. The trace is written as the run goes: viewers accept a list without its
// end, so a killed run has a trace too.
std::unique_ptr<Observer> make_trace_observer(const Path& folder);

// For other processes: says in `file` what the run is doing (LiveRun), at most a second late. A
// thread of its own writes it, and a file that cannot be written is no failure.
std::unique_ptr<Observer> make_live_observer(FileSystem& files, const Path& file);

// The columns of a terminal; 80 if unknown.
std::size_t terminal_width(std::FILE* out);

}  // namespace headway
