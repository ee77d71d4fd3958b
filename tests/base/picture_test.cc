// A picture is intact, or the program that wrote it did not finish.
#include "lib/base/picture.h"

#include <catch2/catch_test_macros.hpp>

namespace headway::testing {
namespace {

// One grey pixel.
const std::string kPixel(
    "\x89PNG\r\n\x1a\n"
    "\0\0\0\x0dIHDR\0\0\0\x01\0\0\0\x01\x08\0\0\0\0\x3a\x7e\x9b\x55"
    "\0\0\0\x0aIDAT\x78\x9c\x63\x68\0\0\0\x82\0\x81\x77\xcd\x72\xb6"
    "\0\0\0\0IEND\xae\x42\x60\x82",
    67);

const std::string kSvg =
    "<?xml version=\"1.0\"?>\n<!-- drawn -->\n<svg width=\"1\"><g><text>a &lt; b</text></g>\n"
    "</svg>\n\n";

TEST_CASE("an intact picture has no problem") {
  CHECK(png_problem(kPixel) == "");
  CHECK(svg_problem(kSvg) == "");
}

TEST_CASE("a truncated PNG is not intact") {
  CHECK(png_problem("") == "it is empty");
  CHECK(png_problem(kPixel.substr(0, 5)) == "it is no PNG");
  for (std::size_t size = 0; size < kPixel.size(); ++size)
    CHECK(png_problem(kPixel.substr(0, size)) != "");
}

TEST_CASE("a PNG with any changed byte is not intact") {
  for (std::size_t i = 0; i < kPixel.size(); ++i) {
    std::string changed = kPixel;
    changed[i] = static_cast<char>(changed[i] ^ 0x20);
    INFO("byte " << i);
    CHECK(png_problem(changed) != "");
  }
}

TEST_CASE("a PNG with trailing data, or an empty one, is not intact") {
  CHECK(png_problem(kPixel + "x") == "there is more behind its end");
  CHECK(png_problem(kPixel + kPixel) == "there is more behind its end");
  CHECK(png_problem(kPixel.substr(0, 33) + kPixel.substr(55)) == "it has no image");
  CHECK(png_problem(kPixel.substr(0, 8) + kPixel.substr(33)) == "it has no header");
}

TEST_CASE("a truncated SVG is not intact") {
  const std::size_t end = kSvg.find("</svg>") + 6;
  for (std::size_t size = 0; size < end; ++size) {
    INFO("after " << size << " bytes");
    CHECK(svg_problem(kSvg.substr(0, size)) != "");
  }
  CHECK(svg_problem(" \n") == "it is empty");
  CHECK(svg_problem("<svg>\n<g></svg>") == "it is no whole XML from line 2 on");
}

TEST_CASE("a file that is not exactly one SVG is not intact") {
  CHECK(svg_problem("<html></html>") == "its root is no <svg>");
  CHECK(svg_problem(kSvg + "half of ano") == "there is more than its <svg>");
  CHECK(svg_problem("half " + kSvg) == "there is more than its <svg>");
  CHECK(svg_problem("<svg></svg><svg></svg>") == "there is more than its <svg>");
  CHECK(svg_problem(std::string("<svg>\0</svg>", 12)) == "it is not UTF-8");
  CHECK(svg_problem("<svg>\xff</svg>") == "it is not UTF-8");
}

}  // namespace
}  // namespace headway::testing
