#include "lib/numerics/event_file.h"

#include <catch2/catch_test_macros.hpp>
#include <cmath>

#include "tests/support/event_reader.h"

namespace headway {
namespace {

using testing::read_events;
using testing::ReadEvent;

std::string from_hex(std::string_view hex) {
  std::string bytes;
  for (std::size_t i = 0; i < hex.size(); i += 2)
    bytes += static_cast<char>(std::stoi(std::string(hex.substr(i, 2)), nullptr, 16));
  return bytes;
}

TEST_CASE("crc32c agrees with the test vectors of RFC 3720", "[events]") {
  CHECK(crc32c("123456789") == 0xe3069283);
  CHECK(crc32c(std::string(32, '\0')) == 0x8a9136aa);
  CHECK(crc32c(std::string(32, '\xff')) == 0x62a8ab43);
  std::string rising, falling;
  for (int i = 0; i < 32; ++i) rising += static_cast<char>(i);
  falling.assign(rising.rbegin(), rising.rend());
  CHECK(crc32c(rising) == 0x46dd794e);
  CHECK(crc32c(falling) == 0x113fdb5c);
  CHECK(crc32c("") == 0);
}

TEST_CASE("an event file begins with the bytes that TensorBoard expects", "[events]") {
  // Length 24 and its checksum; time 1.0; version; checksum.
  // The checksums were computed by another program (crcmod).
  CHECK(event_file_begin(1) == from_hex("1800000000000000a37f4b2209000000000000f03f1a0d") +
                                   "brain.Event:2" + from_hex("86bf577a"));
}

TEST_CASE("a scalar is written as a summary with its tag and a single-precision value",
          "[events]") {
  const std::string bytes = scalar_event(2, 300, {{"loss", 0.5}});
  CHECK(bytes.substr(12, bytes.size() - 16) == from_hex("090000000000000040"  // 1: time 2.0
                                                        "10ac02"              // 2: step 300
                                                        "2a0d"           // 5: summary of 13 bytes
                                                        "0a0b"           // 1: value of 11 bytes
                                                        "0a046c6f7373"   // 1: tag "loss"
                                                        "150000003f"));  // 2: value 0.5
}

TEST_CASE("events are read back as they were written", "[events]") {
  const std::string bytes = event_file_begin(1.5) +
                            scalar_event(2.5, 1, {{"train_loss", 0.1}, {"greedy", 1}}) +
                            scalar_event(3.5, 70000, {{"train_loss", -1e-20}, {"greedy", 0}}) +
                            scalar_event(4.5, 70001, {});
  const std::vector<ReadEvent> events = read_events(bytes);
  REQUIRE(events.size() == 4);
  CHECK(events[0].version == "brain.Event:2");
  CHECK(events[0].time == 1.5);
  CHECK(events[1].time == 2.5);
  CHECK(events[1].step == 1);
  CHECK(events[1].scalars == std::map<std::string, float>{{"train_loss", 0.1F}, {"greedy", 1}});
  CHECK(events[2].step == 70000);
  CHECK(events[2].scalars.at("train_loss") == -1e-20F);
  CHECK(events[3].scalars.empty());
}

TEST_CASE("values that are no numbers are kept as they are", "[events]") {
  const std::vector<ReadEvent> events =
      read_events(scalar_event(1, 1, {{"a", std::nan("")}, {"b", INFINITY}}));
  CHECK(std::isnan(events.at(0).scalars.at("a")));
  CHECK(std::isinf(events.at(0).scalars.at("b")));
}

TEST_CASE("the test's reader notices damage", "[events]") {
  const std::string bytes = event_file_begin(1) + scalar_event(2, 1, {{"loss", 1}});
  CHECK_NOTHROW(read_events(bytes));
  CHECK_THROWS(read_events(bytes.substr(0, bytes.size() - 1)));
  for (const std::size_t at : {std::size_t{0}, std::size_t{9}, std::size_t{20}, bytes.size() - 1}) {
    std::string damaged = bytes;
    damaged[at] = static_cast<char>(damaged[at] ^ 1);
    CHECK_THROWS(read_events(damaged));
  }
}

}  // namespace
}  // namespace headway
