// Times and sizes, as people read and type them.
#include <catch2/catch_test_macros.hpp>

#include <ctime>

#include "lib/base/text.h"

namespace headway {
namespace {

TEST_CASE("times are written with the precision that matters", "[base]") {
  CHECK(format_seconds(0) == "0 ms");
  CHECK(format_seconds(0.004) == "4 ms");
  CHECK(format_seconds(0.25) == "0.25 s");
  CHECK(format_seconds(3.21) == "3.2 s");
  CHECK(format_seconds(65) == "1 min 05 s");
  CHECK(format_seconds(7380) == "2 h 03 min");
  CHECK(format_seconds(360000) == "100 h 00 min");
}

TEST_CASE("times never round up to a whole next unit", "[base]") {
  CHECK(format_seconds(0.0994) == "99 ms");
  CHECK(format_seconds(0.0996) == "0.10 s");
  CHECK(format_seconds(59.94) == "59.9 s");
  CHECK(format_seconds(59.96) == "1 min 00 s");
  CHECK(format_seconds(119.7) == "2 min 00 s");
  CHECK(format_seconds(3599.6) == "1 h 00 min");
}

TEST_CASE("limits and ages have no tenths of seconds that nobody measured", "[base]") {
  CHECK(format_duration(10) == "10 s");
  CHECK(format_duration(1.5) == "1.5 s");
  CHECK(format_duration(0.25) == "0.25 s");
  CHECK(format_duration(70) == "1 min 10 s");
}

TEST_CASE("sizes are written in decimal units", "[base]") {
  CHECK(format_bytes(0) == "0 B");
  CHECK(format_bytes(999) == "999 B");
  CHECK(format_bytes(3400) == "3.4 kB");
  CHECK(format_bytes(1'200'000) == "1.2 MB");
  CHECK(format_bytes(999'949) == "999.9 kB");
  CHECK(format_bytes(999'951) == "1.0 MB");
  CHECK(format_bytes(~std::uint64_t{0}) == "18.4 EB");
}

TEST_CASE("ages are counted from now", "[base]") {
  const std::int64_t now = std::time(nullptr);
  CHECK(format_age(0) == "");
  CHECK(format_age(now + 100) == "just now");
  CHECK(format_age(now - 7380) == "2 h 03 min ago");
}

TEST_CASE("counts agree with their noun", "[base]") {
  CHECK(count_of(0, "stage") == "0 stages");
  CHECK(count_of(1, "stage") == "1 stage");
  CHECK(count_of(12, "stage") == "12 stages");
}

TEST_CASE("durations are read with and without units", "[base]") {
  CHECK(parse_duration("30") == 30);
  CHECK(parse_duration("30s") == 30);
  CHECK(parse_duration("5m") == 300);
  CHECK(parse_duration("1h30m") == 5400);
  CHECK(parse_duration("500ms") == 0.5);
  CHECK(parse_duration("1.5h") == 5400);
  CHECK(parse_duration("1d") == 86400);
  CHECK(parse_duration(" 2s ") == 2);
  CHECK(parse_duration("0") == 0);
}

TEST_CASE("an invalid duration is refused", "[base]") {
  for (const char* text :
       {"", " ", "s", "5x", "-5", "5 apples", "1h-5m", "inf", "nan", "1e999", "0x10", "five"}) {
    CAPTURE(text);
    CHECK_FALSE(parse_duration(text));
  }
}

TEST_CASE("sizes are read in decimal and binary units", "[base]") {
  CHECK(parse_bytes("512") == 512u);
  CHECK(parse_bytes("512B") == 512u);
  CHECK(parse_bytes("64MB") == 64'000'000u);
  CHECK(parse_bytes("2GiB") == 2'147'483'648u);
  CHECK(parse_bytes("1.5 kB") == 1500u);
  CHECK(parse_bytes("1K") == 1024u);
  CHECK(parse_bytes("1TB") == 1'000'000'000'000u);
}

TEST_CASE("an invalid size is refused", "[base]") {
  for (const char* text :
       {"", "GB", "-1", "5 apples", "1gb", "1e30", "9999999TiB", "inf", "nan", "1GB2"}) {
    CAPTURE(text);
    CHECK_FALSE(parse_bytes(text));
  }
}

}  // namespace
}  // namespace headway
