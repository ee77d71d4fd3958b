#include "lib/report/phrases.h"

#include <catch2/catch_approx.hpp>
#include <catch2/catch_test_macros.hpp>
#include <cmath>
#include <limits>

namespace headway {
namespace {

constexpr double kPhraseNan = std::numeric_limits<double>::quiet_NaN();

TEST_CASE("shares are told in percent, with decimals where they matter", "[phrases]") {
  CHECK(percent_text(0.9995) == "99.95 %");
  CHECK(percent_text(1) == "100 %");
  CHECK(percent_text(0) == "0 %");
  CHECK(percent_text(0.412) == "41.2 %");
  CHECK(percent_text(0.5) == "50 %");
  CHECK(percent_text(0.07) == "7 %");
  CHECK(percent_text(0.0123) == "1.23 %");
}

TEST_CASE("what is not all is never 100 %, and what is not nothing never 0 %", "[phrases]") {
  CHECK(percent_text(0.99996) == "99.996 %");
  CHECK(percent_text(0.9999999) == "99.99999 %");
  CHECK(percent_text(0.00001) == "0.001 %");
  CHECK(percent_text(-0.00001) == "-0.001 %");
  CHECK(percent_text(1.00001) == "100.001 %");
}

TEST_CASE("what adding up left over is not told", "[phrases]") {
  CHECK(percent_text(1 - 1e-15) == "100 %");
  CHECK(percent_text(1e-15) == "0 %");
}

TEST_CASE("intervals stand behind their share", "[phrases]") {
  CHECK(percent_with_interval(0.9995, 0.99639, 0.99993) ==
        "99.95 % (95 % interval 99.64 to 99.99 %)");
  CHECK(percent_with_interval(0.5, kPhraseNan, 1) == "50 %");
  CHECK(points_with_interval(67.62, 60.123, 70) == "67.6 points (95 % interval 60.1 to 70)");
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

TEST_CASE("what was not measured is said to be so", "[phrases]") {
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

TEST_CASE("decimals have so many digits, and no exponent where none is needed", "[phrases]") {
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

TEST_CASE("words are enumerated, the rest is counted", "[phrases]") {
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

TEST_CASE("rank correlation is Spearman's", "[phrases]") {
  CHECK(rank_correlation({1, 2, 3}, {10, 100, 1000}) == Catch::Approx(1));
  CHECK(rank_correlation({1, 2, 3}, {3, 2, 1}) == Catch::Approx(-1));
  // scipy.stats.spearmanr([1, 2, 2, 4, 5], [2, 1, 3, 3, 5])
  CHECK(rank_correlation({1, 2, 2, 4, 5}, {2, 1, 3, 3, 5}) == Catch::Approx(0.7631578947));
}

TEST_CASE("rank correlation is NaN where there is none", "[phrases]") {
  CHECK(std::isnan(rank_correlation({1, 1, 1}, {1, 2, 3})));
  CHECK(std::isnan(rank_correlation({1, 2}, {1, 2})));
  CHECK(std::isnan(rank_correlation({1, 2, 3}, {1, 2})));
  CHECK(std::isnan(rank_correlation({1, 2, kPhraseNan}, {1, 2, 3})));
}

TEST_CASE("pairs with an empty cell do not count in a rank correlation", "[phrases]") {
  CHECK(rank_correlation({1, kPhraseNan, 2, 3, 9}, {1, 7, 2, 3, kPhraseNan}) == Catch::Approx(1));
}

}  // namespace
}  // namespace headway
