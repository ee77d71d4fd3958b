#include "lib/base/digest.h"

#include <catch2/catch_test_macros.hpp>
#include <unordered_set>
#include <vector>

namespace headway {
namespace {

constexpr const char* kOfNothing =
    "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855";

TEST_CASE("digests are SHA-256, as in the standard's examples", "[base]") {
  CHECK(digest_of("").hex() == kOfNothing);
  CHECK(digest_of("abc").hex() ==
        "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
  CHECK(digest_of("abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq").hex() ==
        "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1");
  CHECK(digest_of(std::string(1'000'000, 'a')).hex() ==
        "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0");
}

TEST_CASE("hashing in pieces gives the same digest as hashing the whole", "[base]") {
  CHECK(Sha256().update("a").update("").update("bc").finish() == digest_of("abc"));
}

// The text that a list of fields is hashed as.
std::string fields(const std::vector<std::string>& list) {
  std::string text;
  for (const std::string& field : list) append_field(text, field);
  return text;
}

TEST_CASE("adjacent fields cannot be confused", "[base]") {
  CHECK(fields({"ab", "c"}) != fields({"a", "bc"}));
  CHECK(fields({"1:a"}) != fields({"", "a"}));
  CHECK(fields({"a", ""}) != fields({"a"}));
  CHECK(fields({"a1:b"}) != fields({"a", "b"}));
  CHECK(fields({"abc", ""}) == "3:abc0:");
}

TEST_CASE("a digest survives a round trip through hex", "[base]") {
  const Digest digest = digest_of("abc");
  CHECK(Digest::from_hex(digest.hex()) == digest);
  CHECK(digest.short_hex() == "ba7816bf8f01");
}

TEST_CASE("only 64 lower-case hex digits are a digest", "[base]") {
  std::string hex = kOfNothing;
  CHECK_FALSE(Digest::from_hex(""));
  CHECK_FALSE(Digest::from_hex(hex.substr(1)));
  CHECK_FALSE(Digest::from_hex(hex + "0"));
  hex[10] = 'g';
  CHECK_FALSE(Digest::from_hex(hex));
  hex[10] = 'A';  // one spelling only: a digest is a file's name
  CHECK_FALSE(Digest::from_hex(hex));
}

TEST_CASE("the digest of nothing differs from no digest", "[base]") {
  CHECK(Digest().empty());
  CHECK_FALSE(digest_of("").empty());
}

TEST_CASE("digests can be stored in hashed sets", "[base]") {
  std::unordered_set<Digest> seen{digest_of("a"), digest_of("b"), digest_of("a")};
  CHECK(seen.size() == 2);
  CHECK(seen.contains(digest_of("b")));
}

}  // namespace
}  // namespace headway
