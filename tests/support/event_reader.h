// Reads TensorBoard event files, for tests. Shares no code with what writes them: its checksum goes
// bit by bit, and every record must be whole.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace headway::testing {

struct ReadEvent {
  double time = 0;
  std::int64_t step = 0;
  std::string version;                   // of the file, in its first event
  std::map<std::string, float> scalars;  // by tag
};

// Throws std::runtime_error if the bytes are no such file.
std::vector<ReadEvent> read_events(std::string_view bytes);

}  // namespace headway::testing
