// Messages between the engine and its workers: bytes, lines, requests and events.
#include "lib/worker/protocol.h"

#include <algorithm>

#include "tests/fuzz/fuzz.h"

using namespace headway;

namespace {

constexpr std::size_t kLongest = 4096;

std::vector<std::string> take_lines(std::string_view bytes, std::size_t step) {
  LineBuffer buffer(kLongest);
  std::vector<std::string> lines;
  for (; !bytes.empty(); bytes.remove_prefix(std::min(step, bytes.size()))) {
    buffer.add(bytes.substr(0, step));
    while (const std::optional<std::string> line = buffer.take()) lines.push_back(*line);
  }
  return lines;
}

void read_line(const std::string& line) {
  fuzz::accepts({"not a request", "bad request: ", "stage '"}, [&] {
    const std::string request = request_line(parse_request(line));
    fuzz::require(request_line(parse_request(request)) == request,
                  "a request is the same when it is read again", request);
  });
  fuzz::accepts({"not an event", "bad event: "}, [&] {
    const std::string event = event_line(parse_event(line));
    fuzz::require(event_line(parse_event(event)) == event,
                  "an event is the same when it is read again", event);
  });
}

}  // namespace

FUZZ_TARGET(protocol) {
  std::vector<std::string> lines;
  const bool all_fit = fuzz::accepts({"a line "}, [&] { lines = take_lines(input, input.size()); });
  for (const std::string& line : lines) read_line(line);
  if (!all_fit) return;
  fuzz::require(take_lines(input, 7) == lines, "lines do not depend on how the bytes arrive");
}
