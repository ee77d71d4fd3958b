#include "tests/support/event_reader.h"

#include <cstring>
#include <stdexcept>

namespace headway::testing {
namespace {

std::uint32_t slow_crc32c(std::string_view bytes) {
  std::uint32_t crc = 0xffffffff;
  for (const char byte : bytes) {
    crc ^= static_cast<unsigned char>(byte);
    for (int i = 0; i < 8; ++i) crc = crc & 1 ? (crc >> 1) ^ 0x82f63b78 : crc >> 1;
  }
  return crc ^ 0xffffffff;
}

std::string_view take(std::string_view& rest, std::size_t count) {
  if (rest.size() < count) throw std::runtime_error("the file ends inside of a record");
  const std::string_view taken = rest.substr(0, count);
  rest.remove_prefix(count);
  return taken;
}

// Tests run on little-endian machines.
template <class Number>
Number take_number(std::string_view& rest) {
  Number number;
  std::memcpy(&number, take(rest, sizeof(Number)).data(), sizeof(Number));
  return number;
}

std::string_view take_checked(std::string_view& rest, std::size_t count) {
  const std::string_view bytes = take(rest, count);
  const std::uint32_t crc = slow_crc32c(bytes);
  const std::uint32_t expected = ((crc >> 15) | (crc << 17)) + 0xa282ead8;
  if (take_number<std::uint32_t>(rest) != expected) throw std::runtime_error("a checksum is wrong");
  return bytes;
}

std::uint64_t take_varint(std::string_view& rest) {
  std::uint64_t number = 0;
  for (int shift = 0;; shift += 7) {
    const auto byte = static_cast<unsigned char>(take(rest, 1)[0]);
    number |= static_cast<std::uint64_t>(byte & 0x7f) << shift;
    if (byte < 0x80) return number;
  }
}

std::string_view take_bytes(std::string_view& rest) {
  return take(rest, take_varint(rest));
}

void read_value(std::string_view value, ReadEvent& event) {
  std::string tag;
  float number = 0;
  while (!value.empty()) {
    const std::uint64_t key = take_varint(value);
    if (key == (1 << 3 | 2))
      tag = take_bytes(value);
    else if (key == (2 << 3 | 5))
      number = take_number<float>(value);
    else
      throw std::runtime_error("unknown field of a value");
  }
  if (!event.scalars.emplace(tag, number).second) throw std::runtime_error("a tag occurs twice");
}

ReadEvent read_event(std::string_view message) {
  ReadEvent event;
  while (!message.empty()) {
    const std::uint64_t key = take_varint(message);
    if (key == (1 << 3 | 1)) {
      event.time = take_number<double>(message);
    } else if (key == (2 << 3 | 0)) {
      event.step = static_cast<std::int64_t>(take_varint(message));
    } else if (key == (3 << 3 | 2)) {
      event.version = take_bytes(message);
    } else if (key == (5 << 3 | 2)) {
      std::string_view summary = take_bytes(message);
      while (!summary.empty()) {
        if (take_varint(summary) != (1 << 3 | 2))
          throw std::runtime_error("unknown field of a summary");
        read_value(take_bytes(summary), event);
      }
    } else {
      throw std::runtime_error("unknown field of an event");
    }
  }
  return event;
}

}  // namespace

std::vector<ReadEvent> read_events(std::string_view bytes) {
  std::vector<ReadEvent> events;
  while (!bytes.empty()) {
    std::string_view length = take_checked(bytes, 8);
    events.push_back(read_event(take_checked(bytes, take_number<std::uint64_t>(length))));
  }
  return events;
}

}  // namespace headway::testing
