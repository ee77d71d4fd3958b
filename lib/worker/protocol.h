// What the engine and a worker say to each other: plain data <-> one line of JSON each.
// Knows nothing of sockets, processes or threads; whoever reads bytes feeds them to a LineBuffer.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "lib/stage/stage_type.h"

namespace headway {

// A line that is not one of ours.
class ProtocolError : public Error {
 public:
  using Error::Error;
};

// From the worker. A job is: started, any number of progress, then exactly one of the other three.
struct WorkerEvent {
  enum class Kind { kStarted, kProgress, kDone, kFailed, kCancelled };
  Kind kind = Kind::kStarted;
  double fraction = 0;            // of progress: 0..1
  std::string text;               // of progress: a few words; of failed: what went wrong
  double cpu_seconds = 0;         // of an end: what the job took
  std::uint64_t peak_memory = 0;  // of an end: bytes

  bool ends_job() const { return kind != Kind::kStarted && kind != Kind::kProgress; }
};

// Without the newline. A native stage's part of the job only: a worker runs no scripts.
std::string request_line(const StageJob& job);
std::string event_line(const WorkerEvent& event);

// Throw ProtocolError saying what is wrong with the line: not JSON, or which field is missing or
// mistyped.
StageJob parse_request(std::string_view line);
WorkerEvent parse_event(std::string_view line);

// Bytes as they arrive, whole lines out.
class LineBuffer {
 public:
  // A request with a fan-in of 10,000 paths is 2 MB; what is longer than this is not ours.
  static constexpr std::size_t kLongestLine = 64 << 20;

  explicit LineBuffer(std::size_t longest = kLongestLine) : longest_(longest) {}

  void add(std::string_view bytes);
  // The next whole line, without its newline; ProtocolError once a line is too long, whole or not.
  std::optional<std::string> take();
  bool empty() const { return begin_ == bytes_.size(); }

 private:
  std::size_t longest_;
  std::string bytes_;
  std::size_t begin_ = 0;     // of what was not taken yet
  std::size_t searched_ = 0;  // no newline from there to this one
};

}  // namespace headway
