#include "lib/report/phrases.h"

#include <catch2/catch_test_macros.hpp>
#include <limits>

namespace headway {
namespace {

constexpr double kPhraseNan = std::numeric_limits<double>::quiet_NaN();

TEST_CASE("shares are written in percent, with decimals where they matter", "[phrases]") {
  CHECK(percent_text(0.9995) == "99.95 %");
  CHECK(percent_text(1) == "100 %");
  CHECK(percent_text(0) == "0 %");
  CHECK(percent_text(0.412) == "41.2 %");
  CHECK(percent_text(0.5) == "50 %");
  CHECK(percent_text(0.07) == "7 %");
  CHECK(percent_text(0.0123) == "1.23 %");
}

TEST_CASE("less than all is never 100 %, and more than nothing is never 0 %", "[phrases]") {
  CHECK(percent_text(0.99996) == "99.996 %");
  CHECK(percent_text(0.9999999) == "99.99999 %");
  CHECK(percent_text(0.00001) == "0.001 %");
  CHECK(percent_text(-0.00001) == "-0.001 %");
  CHECK(percent_text(1.00001) == "100.001 %");
}

TEST_CASE("rounding errors of sums are not shown", "[phrases]") {
  CHECK(percent_text(1 - 1e-15) == "100 %");
  CHECK(percent_text(1e-15) == "0 %");
}

TEST_CASE("intervals follow their share", "[phrases]") {
  CHECK(percent_with_interval(0.9995, 0.99639, 0.99993) ==
        "99.95 % (95 % interval 99.64 to 99.99 %)");
  CHECK(percent_with_interval(0.5, kPhraseNan, 1) == "50 %");
  CHECK(points_with_interval(67.62, 60.123, 70) == "67.6 points (95 % interval 60.1 to 70.0)");
  CHECK(points_with_interval(1, -1, kPhraseNan) == "1 point");
}

TEST_CASE("points have a plural, a sign and no false zero", "[phrases]") {
  CHECK(points_text(67.62) == "67.6 points");
  CHECK(points_text(1) == "1 point");
  CHECK(points_text(-1) == "-1 point");
  CHECK(points_text(0) == "0 points");
  CHECK(points_text(-0.0) == "0 points");
  CHECK(points_text(0.25) == "0.25 points");
  CHECK(points_text(0.004) == "0.004 points");
  CHECK(points_text(-0.0004) == "-0.0004 points");
  CHECK(points_text(99.97) == "99.97 points");
}

TEST_CASE("missing measurements are reported as not measured", "[phrases]") {
  CHECK(percent_text(kPhraseNan) == "not measured");
  CHECK(points_text(kPhraseNan) == "not measured");
  CHECK(decimal_text(kPhraseNan) == "not measured");
  CHECK(decimal_text(std::numeric_limits<double>::infinity()) == "not measured");
}

TEST_CASE("counts have commas and plurals", "[phrases]") {
  CHECK(count_text(0) == "0");
  CHECK(count_text(999) == "999");
  CHECK(count_text(1000) == "1,000");
  CHECK(count_text(810000) == "810,000");
  CHECK(count_text(1234567890) == "1,234,567,890");
  CHECK(counted(1, "head") == "1 head");
  CHECK(counted(0, "head") == "0 heads");
  CHECK(counted(6000, "head") == "6,000 heads");
  CHECK(counted(2, "loss", "losses") == "2 losses");
  CHECK(n_of_m(6, 24, "heads") == "6 of 24 heads");
}

TEST_CASE("decimals have a fixed number of digits, and an exponent only if necessary",
          "[phrases]") {
  CHECK(decimal_text(0.03214) == "0.0321");
  CHECK(decimal_text(3) == "3");
  CHECK(decimal_text(12345.6) == "12346");
  CHECK(decimal_text(999.6) == "1000");
  CHECK(decimal_text(-1234) == "-1234");
  CHECK(decimal_text(0.00001) == "1e-05");
  CHECK(decimal_text(1e20) == "1e+20");
  CHECK(decimal_text(-0.0) == "0");
  CHECK(decimal_text(0.123456, 5) == "0.12346");
}

TEST_CASE("words are enumerated up to a limit, and the rest are counted", "[phrases]") {
  CHECK(enumerated({}) == "");
  CHECK(enumerated({"a"}) == "a");
  CHECK(enumerated({"a", "b"}) == "a and b");
  CHECK(enumerated({"a", "b", "c"}) == "a, b and c");
  CHECK(enumerated({"a", "b", "c", "d", "e"}, 2) == "a, b and 3 more");
  CHECK(enumerated({"a", "b", "c"}, 2) == "a, b and c");  // "1 more" would be no shorter
}

TEST_CASE("sentences become a list", "[phrases]") {
  CHECK(bullets({"One.", "Two."}) == "- One.\n- Two.\n");
  CHECK(bullets({}) == "");
}

TEST_CASE("bounds next to a class limit are not rounded onto it", "[phrases]") {
  CHECK(points_with_interval(0.65, 0.284147, 1.01455) ==
        "0.65 points (95 % interval 0.28 to 1.01)");
  CHECK(points_with_interval(9.1, 8.2, 10.04) == "9.10 points (95 % interval 8.20 to 10.04)");
  CHECK(points_text(1.004) == "1.004 points");
  CHECK(points_text(9.997) == "9.997 points");
  CHECK(points_text(10.04) == "10.04 points");
  CHECK(points_text(4.05) == "4.05 points");
  CHECK(points_text(10) == "10 points");
}

TEST_CASE("numbers of one interval have equally many decimals, except 0 and 100", "[phrases]") {
  CHECK(points_with_interval(87.6, 86.0611, 88.9639) == "87.6 points (95 % interval 86.1 to 89.0)");
  CHECK(points_with_interval(40, 35, 45) == "40 points (95 % interval 35 to 45)");
  CHECK(points_with_interval(0, -0.19, 0.19) == "0 points (95 % interval -0.19 to 0.19)");
  CHECK(percent_with_interval(0.95, 0.931, 0.964) == "95.0 % (95 % interval 93.1 to 96.4 %)");
  CHECK(percent_with_interval(0.98, 0.95, 1) == "98 % (95 % interval 95 to 100 %)");
  CHECK(percent_with_interval(0.0936, 0.081, 0.1053) == "9.36 % (95 % interval 8.10 to 10.53 %)");
  CHECK(percent_with_interval(0.5, 0.0000001, 0.9) == "50.00 % (95 % interval 0.00001 to 90.00 %)");
}

TEST_CASE("probabilities are written with two digits, and tiny ones as an upper bound",
          "[phrases]") {
  CHECK(p_text(0.03125) == "p = 0.031");
  CHECK(p_text(1) == "p = 1");
  CHECK(p_text(0.0004) == "p < 0.001");
}

}  // namespace
}  // namespace headway
