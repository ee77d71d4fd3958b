// Messages between the engine and a worker, one line of JSON each. Knows nothing of sockets,
// processes or threads; whoever reads bytes puts them into a LineBuffer.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "lib/base/enum_names.h"
#include "lib/stage/stage_type.h"

namespace headway {

// A line that is not a valid message.
class ProtocolError : public Error {
 public:
  using Error::Error;
};

// Sent by the worker. For each job: started, any number of progress, then one of the other three.
struct WorkerEvent {
  enum class Kind { kStarted, kProgress, kDone, kFailed, kCancelled };
  Kind kind = Kind::kStarted;
  double fraction = 0;            // for progress: 0..1
  std::string text = {};          // for progress: a few words; for failed: what went wrong
  double cpu_seconds = 0;         // for the last event: used by the job
  std::uint64_t peak_memory = 0;  // for the last event: bytes
  std::string numerics = {};      // for the last event: see StageResult
  std::string notice = {};        // the same

  bool ends_job() const { return kind != Kind::kStarted && kind != Kind::kProgress; }
};

template <>
inline constexpr std::string_view kNamesOf<WorkerEvent::Kind>[] = {"started", "progress", "done",
                                                                   "failed", "cancelled"};

// Without the newline.
std::string request_line(const StageJob& job);
std::string event_line(const WorkerEvent& event);

// Throw ProtocolError if the line is not JSON, or a field is missing or has the wrong type.
StageJob parse_request(std::string_view line);
WorkerEvent parse_event(std::string_view line);

// Collects bytes and returns whole lines.
class LineBuffer {
 public:
  // A request with a fan-in of 10,000 paths has 2 MB; anything longer than this is not ours.
  static constexpr std::size_t kLongestLine = 64 << 20;

  explicit LineBuffer(std::size_t longest = kLongestLine) : longest_(longest) {}

  void add(std::string_view bytes);
  // The next whole line, without its newline. Throws ProtocolError if a line is too long.
  std::optional<std::string> take();
  bool empty() const { return begin_ == bytes_.size(); }

 private:
  std::size_t longest_;
  std::string bytes_;
  std::size_t begin_ = 0;     // of the bytes not yet taken
  std::size_t searched_ = 0;  // there is no newline between begin_ and this
};

}  // namespace headway
