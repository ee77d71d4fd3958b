#include "lib/spec/parse_cache.h"

#include <catch2/catch_test_macros.hpp>

#include "lib/spec/yaml.h"
#include "tests/support/temporary_folder.h"

namespace headway::testing {
namespace {

const std::string kText = "a: [1, -2, 0.5, true, false, ~, '', text, é]\nb: {c: {d: }, e: []}\n";

Value parsed(const std::string& text) {
  Diagnostics diagnostics;
  return parse_yaml(text, SourceLocation::intern("y"), diagnostics).value();
}

// A value with the place of everything in it.
std::string with_places(const Value& value) {
  std::string text = value.kind_name() + "@" + value.location.text();
  if (value.is_scalar()) return text + "=" + value.plain();
  if (value.list()) {
    for (const Value& item : *value.list()) text += "\n" + with_places(item);
  } else {
    for (const MapEntry& entry : *value.map())
      text += "\n" + entry.key + "@" + entry.key_location.text() + ": " + with_places(entry.value);
  }
  return text;
}

std::string large(const std::string& last) {
  std::string text;
  for (int i = 0; i < 5000; ++i) text += "key" + std::to_string(i) + ": 1\n";
  return text + last;
}

TEST_CASE("a kept value comes back with every type and place", "[spec]") {
  const Value value = parsed(kText);
  const auto back = decode(encode(value), SourceLocation::intern("y"));
  REQUIRE(back);
  CHECK(with_places(*back) == with_places(value));
}

TEST_CASE("a kept value takes the name of the file that asks for it", "[spec]") {
  const auto back = decode(encode(parsed(kText)), SourceLocation::intern("other"));
  REQUIRE(back);
  CHECK(back->find("b")->location.text() == "other:2:4");
}

TEST_CASE("kept bytes that are cut short or changed anywhere are not believed", "[spec]") {
  const std::string bytes = encode(parsed(kText));
  for (std::size_t length = 0; length < bytes.size(); ++length)
    CHECK_FALSE(decode(bytes.substr(0, length), nullptr));
  for (std::size_t at = 0; at < bytes.size(); ++at) {
    std::string changed = bytes;
    changed[at] = static_cast<char>(changed[at] ^ 1);
    CHECK_FALSE(decode(changed, nullptr));
  }
  CHECK_FALSE(decode(bytes + "x", nullptr));
}

TEST_CASE("a large file is parsed once, and a small one is not kept", "[spec]") {
  const TemporaryFolder folder;
  RealFileSystem files;
  ParseCache cache(files, folder.path());
  Diagnostics diagnostics;
  cache.parse(kText, SourceLocation::intern("y"), diagnostics);
  CHECK(files.list(folder.path()).empty());
  const std::string text = large("z: 1\n");
  const auto first = cache.parse(text, SourceLocation::intern("y"), diagnostics);
  REQUIRE(files.list(folder.path()).size() == 1);
  const auto second = cache.parse(text, SourceLocation::intern("y"), diagnostics);
  CHECK(with_places(*first) == with_places(*second));
  cache.parse(large("z: 2\n"), SourceLocation::intern("y"), diagnostics);
  CHECK(files.list(folder.path()).size() == 2);
}

TEST_CASE("a file with mistakes is not kept, and tells them every time", "[spec]") {
  const TemporaryFolder folder;
  RealFileSystem files;
  ParseCache cache(files, folder.path());
  for (int i = 0; i < 2; ++i) {
    Diagnostics diagnostics;
    cache.parse(large("key1: 2\n"), SourceLocation::intern("y"), diagnostics);
    CHECK(diagnostics.text() == "y:5001:1: duplicate key 'key1', first on line 2");
  }
  CHECK(files.list(folder.path()).empty());
}

TEST_CASE("a damaged file in the cache is parsed again and mended", "[spec]") {
  const TemporaryFolder folder;
  RealFileSystem files;
  ParseCache cache(files, folder.path());
  Diagnostics diagnostics;
  const std::string text = large("");
  const auto first = cache.parse(text, SourceLocation::intern("y"), diagnostics);
  const std::string name = files.list(folder.path()).at(0);
  const std::string good = folder.read(name);
  folder.write(name, good.substr(0, 100));
  CHECK(with_places(*cache.parse(text, SourceLocation::intern("y"), diagnostics)) ==
        with_places(*first));
  CHECK(folder.read(name) == good);
}

TEST_CASE("without a folder to keep it in, a file is parsed all the same", "[spec]") {
  const TemporaryFolder folder;
  RealFileSystem files;
  Diagnostics diagnostics;
  CHECK(ParseCache(files, {}).parse(large(""), SourceLocation::intern("y"), diagnostics));
  CHECK(
      ParseCache(files, folder / "no").parse(large(""), SourceLocation::intern("y"), diagnostics));
  CHECK_FALSE(files.exists(folder / "no"));
}

}  // namespace
}  // namespace headway::testing
