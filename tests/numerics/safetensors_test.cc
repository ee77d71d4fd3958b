#include "lib/numerics/safetensors.h"

#include <fmt/format.h>

#include <array>
#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers_exception.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>
#include <cmath>
#include <cstring>
#include <limits>
#include <optional>

#include "lib/base/error.h"
#include "tests/support/memory_file_system.h"

namespace headway {
namespace {

using Catch::Matchers::ContainsSubstring;
using Catch::Matchers::Message;
using Catch::Matchers::StartsWith;

template <class T>
Array make(std::vector<std::int64_t> shape, const std::vector<T>& values) {
  return Array::of(std::move(shape), std::span<const T>(values));
}

TensorFile small_file() {
  TensorFile file;
  file.metadata = {{"made by", "a test"}, {"é", "\"quoted\"\n"}};
  file.arrays["weights"] = make<float>({2, 3}, {1, -2, 0.5F, 1e-30F, 3e30F, -0.0F});
  file.arrays["bytes"] = {ElementType::kU8, {3}, "abc"};
  file.arrays["ids"] = make<std::int32_t>({2}, {-7, 1'000'000});
  file.arrays["steps"] = make<std::int64_t>({}, {1LL << 40});
  file.arrays["loss"] = make<double>({1, 1}, {0.1});
  file.arrays["none"] = make<float>({0, 4}, {});
  return file;
}

std::string with_header(const std::string& header, const std::string& data = "") {
  const std::uint64_t length = header.size();
  std::string bytes(8, '\0');
  std::memcpy(bytes.data(), &length, 8);
  return bytes + header + data;
}

// The whole message; "accepted" if it parses.
std::string parsed(const std::string& bytes) {
  try {
    parse_safetensors(bytes, "x.safetensors");
  } catch (const Error& error) {
    CHECK_THAT(error.what(), StartsWith("x.safetensors: "));
    return std::string(error.what()).substr(15);
  }
  return "accepted";
}

std::string parsed(const std::string& header, std::size_t data_bytes) {
  return parsed(with_header(header, std::string(data_bytes, 'x')));
}

TEST_CASE("arrays and metadata survive a round trip", "[safetensors]") {
  CHECK(parse_safetensors(to_safetensors(small_file()), "x") == small_file());
  CHECK(parse_safetensors(to_safetensors({}), "x") == TensorFile{});
}

TEST_CASE("the bytes match the format", "[safetensors]") {
  TensorFile file;
  file.arrays["b"] = make<std::int32_t>({2}, {1, 2});
  file.arrays["a"] = {ElementType::kU8, {1}, "z"};
  const std::string header = R"({"a":{"data_offsets":[8,9],"dtype":"U8","shape":[1]},)"
                             R"("b":{"data_offsets":[0,8],"dtype":"I32","shape":[2]}})";
  const std::size_t padding = (8 - header.size() % 8) % 8;
  CHECK(to_safetensors(file) ==
        with_header(header + std::string(padding, ' '), std::string("\1\0\0\0\2\0\0\0z", 9)));
}

TEST_CASE("data starts at a multiple of eight bytes, and every array is aligned to its elements",
          "[safetensors]") {
  TensorFile file = small_file();
  for (int extra = 0; extra < 9; ++extra) {
    file.metadata["pad"] += 'x';
    const std::string bytes = to_safetensors(file);
    std::uint64_t header = 0;
    std::memcpy(&header, bytes.data(), 8);
    CHECK(header % 8 == 0);
    CHECK(parse_safetensors(bytes, "x") == file);
  }
  // Larger elements first: 8 + 8, then 4s, then bytes at the very end.
  CHECK(to_safetensors(small_file()).ends_with("abc"));
}

TEST_CASE("elements can be read only as their own type", "[safetensors]") {
  const TensorFile file = small_file();
  CHECK(file.at("weights").floats() == std::vector<float>{1, -2, 0.5F, 1e-30F, 3e30F, -0.0F});
  CHECK(std::signbit(file.at("weights").floats().back()));
  CHECK(file.at("ids").ints() == std::vector<std::int32_t>{-7, 1'000'000});
  CHECK(file.at("steps").elements<std::int64_t>() == std::vector<std::int64_t>{1LL << 40});
  CHECK(file.at("loss").elements<double>() == std::vector<double>{0.1});
  CHECK(file.at("none").floats().empty());
  CHECK(file.at("steps").count() == 1);
  CHECK(file.at("none").count() == 0);
  CHECK_THROWS_MATCHES(file.at("ids").floats(), Error,
                       Message("F32 was expected, but the array is I32 [2]"));
}

TEST_CASE("NaNs and infinities survive", "[safetensors]") {
  TensorFile file;
  const float infinity = std::numeric_limits<float>::infinity();
  file.arrays["x"] = make<float>({2}, {std::nanf(""), infinity});
  const std::vector<float> back = parse_safetensors(to_safetensors(file), "x").at("x").floats();
  CHECK(std::isnan(back[0]));
  CHECK(back[1] == infinity);
}

TEST_CASE("a missing or mismatched array is an error that lists the existing ones",
          "[safetensors]") {
  TensorFile file;
  CHECK_THROWS_MATCHES(file.at("w"), Error, Message("no array 'w'; the file has no arrays"));
  file.arrays["a"] = make<float>({2, 3}, std::vector<float>(6));
  CHECK_THROWS_MATCHES(file.at("w"), Error, Message("no array 'w'; there is a"));
  for (int i = 10; i < 30; ++i) file.arrays[fmt::format("b{}", i)] = make<float>({0}, {});
  CHECK_THROWS_MATCHES(
      file.at("w"), Error,
      Message(
          "no array 'w'; there are a, b10, b11, b12, b13, b14, b15, b16, b17, b18, b19, b20 and "
          "9 more"));
  constexpr std::array<std::int64_t, 2> kAny = {-1, 3};
  constexpr std::array<std::int64_t, 2> kWrong = {-1, 4};
  constexpr std::array<std::int64_t, 1> kFlat = {6};
  CHECK(file.at("a", ElementType::kF32, kAny).count() == 6);
  CHECK_THROWS_MATCHES(file.at("a", ElementType::kF32, kWrong), Error,
                       Message("array 'a': F32 [*, 4] was expected, but it is F32 [2, 3]"));
  CHECK_THROWS_MATCHES(file.at("a", ElementType::kF32, kFlat), Error,
                       Message("array 'a': F32 [6] was expected, but it is F32 [2, 3]"));
  CHECK_THROWS_MATCHES(file.at("a", ElementType::kI64, kAny), Error,
                       Message("array 'a': I64 [*, 3] was expected, but it is F32 [2, 3]"));
}

TEST_CASE("what cannot be written is refused", "[safetensors]") {
  TensorFile file;
  file.arrays["__metadata__"] = make<float>({0}, {});
  CHECK_THROWS_MATCHES(to_safetensors(file), Error,
                       Message("an array cannot be called '__metadata__'"));
  TensorFile broken;
  broken.metadata["x"] = "\xff";
  CHECK_THROWS_MATCHES(to_safetensors(broken), Error, Message("'�' is not UTF-8"));
}

TEST_CASE("an impossible header is refused", "[safetensors]") {
  CHECK(parsed("") ==
        "not a safetensors file: it should start with an 8-byte length, but it has 0 bytes");
  CHECK(parsed("1234567") ==
        "not a safetensors file: it should start with an 8-byte length, but it has 7 bytes");
  CHECK(parsed(std::string("\x10\0\0\0\0\0\0\0{}", 10)) ==
        "the header should have 16 bytes, but only 2 follow; is the file cut short?");
  CHECK(parsed(std::string(8, '\xff') + "{}") ==
        "not a safetensors file: its first 8 bytes say that the header has 18446744073709551615 "
        "bytes; at most 100000000 are allowed");
  const std::string no_object = "not a safetensors file: the header is not a JSON object";
  for (const char* header : {"", " {}", "[]", "{", "{}x", "null", "{\"a\":}", "\xEF\xBB\xBF{}",
                             "{\"\xff\":1}", "PK\3\4"}) {
    CAPTURE(header);
    CHECK(parsed(header, 0).starts_with(no_object));
  }
  CHECK(parsed("{\"a\":}", 0) == no_object + ": line 1, column 6: unexpected '}'");
  CHECK(parsed(std::string("{}\0x", 4), 0) ==  // where the parser would stop
        no_object + ": line 1, column 3: a zero byte: this is not text");
  CHECK(parsed("{}   ", 0) == "accepted");
}

TEST_CASE("a tower of brackets is refused before it is parsed", "[safetensors]") {
  CHECK(parsed("{\"a\":" + std::string(1'000'000, '['), 0)
            .ends_with("line 1, column 205: nested more than 200 levels deep"));
  CHECK(parsed(R"({"a":{"b":{"c":{}}}})", 0) == "the header is nested too deeply");
}

TEST_CASE("duplicate names are refused", "[safetensors]") {
  const std::string entry = R"({"dtype":"U8","shape":[0],"data_offsets":[0,0]})";
  CHECK(parsed("{\"a\":" + entry + ",\"a\":" + entry + "}", 0) == "'a' is twice in the header");
  CHECK(parsed(R"({"a":{"dtype":"U8","dtype":"U8","shape":[0],"data_offsets":[0,0]}})", 0) ==
        "'dtype' is twice in the header");
  CHECK(parsed("{\"a\":" + entry + ",\"b\":" + entry + "}", 0) == "accepted");
}

TEST_CASE("metadata that is not text is refused", "[safetensors]") {
  CHECK(parsed(R"({"__metadata__":[]})", 0) ==
        "'__metadata__' should be a map of texts, but is array");
  CHECK(parsed(R"({"__metadata__":{"a":1}})", 0) ==
        "'__metadata__': the value of 'a' should be text, but is number");
}

// The message of a file with the one array "a".
std::string entry(const std::string& type, const std::string& shape, const std::string& offsets,
                  std::size_t data_bytes) {
  return parsed(
      fmt::format(R"({{"a":{{"dtype":{},"shape":{},"data_offsets":{}}}}})", type, shape, offsets),
      data_bytes);
}

TEST_CASE("an invalid entry is refused", "[safetensors]") {
  CHECK(entry("\"F32\"", "[2]", "[0,8]", 8) == "accepted");
  CHECK(parsed(R"({"a":3})", 0) ==
        "array 'a': its entry should be a map with dtype, shape and data_offsets, but is number");
  CHECK(parsed(R"({"a":{"shape":[1],"data_offsets":[0,4]}})", 4) ==
        "array 'a': 'dtype' is missing");
  CHECK(parsed(R"({"a":{"dtype":"F32","data_offsets":[0,4]}})", 4) ==
        "array 'a': 'shape' is missing");
  CHECK(parsed(R"({"a":{"dtype":"F32","shape":[1]}})", 4) ==
        "array 'a': 'data_offsets' is missing");
}

TEST_CASE("an unsupported type is refused by name", "[safetensors]") {
  CHECK(entry("\"BF16\"", "[2]", "[0,4]", 4) ==
        "array 'a': elements of type 'BF16' cannot be read; F32, F64, I32, I64, U8 can");
  CHECK(entry("4", "[2]", "[0,4]", 4) ==
        "array 'a': elements of type 'number' cannot be read; F32, F64, I32, I64, U8 can");
}

TEST_CASE("impossible shapes are refused", "[safetensors]") {
  CHECK(entry("\"F32\"", "2", "[0,8]", 8) == "array 'a': 'shape' should be a list, but is number");
  for (const char* extent : {"-1", "1.5", "\"2\"", "null", "true", "9223372036854775808", "1e30"}) {
    CAPTURE(extent);
    CHECK_THAT(entry("\"F32\"", fmt::format("[{}]", extent), "[0,8]", 8),
               StartsWith("array 'a': 'shape' should hold whole numbers from 0, but has "));
  }
  CHECK(entry("\"F32\"", "[[2]]", "[0,8]", 8) == "the header is nested too deeply");
  const std::string huge = "[4294967296,4294967296]";
  CHECK(entry("\"F32\"", huge, "[0,0]", 0) ==
        "array 'a': shape [4294967296, 4294967296] is larger than any file");
  CHECK(entry("\"U8\"", "[9223372036854775807]", "[0,0]", 0) ==
        "array 'a': U8 [9223372036854775807] needs 9223372036854775807 bytes, but 'data_offsets' "
        "[0, 0] have 0");
}

TEST_CASE("impossible offsets are refused", "[safetensors]") {
  CHECK(entry("\"F32\"", "[2]", "[8,0]", 8) ==
        "array 'a': 'data_offsets' should be [begin, end], but is [8, 0]");
  CHECK(entry("\"F32\"", "[2]", "[0]", 8) ==
        "array 'a': 'data_offsets' should be [begin, end], but is [0]");
  CHECK(entry("\"F32\"", "[2]", "[0,8,8]", 8) ==
        "array 'a': 'data_offsets' should be [begin, end], but is [0, 8, 8]");
  CHECK(entry("\"F32\"", "[2]", "[-8,0]", 8) ==
        "array 'a': 'data_offsets' should hold whole numbers from 0, but has -8");
  CHECK(entry("\"F32\"", "[2]", "[0,7]", 7) ==
        "array 'a': F32 [2] needs 8 bytes, but 'data_offsets' [0, 7] have 7");
  CHECK(entry("\"F32\"", "[2]", "[0,8]", 5) ==
        "array 'a': it ends at byte 8 of the data, but there are only 5 bytes; is the file cut "
        "short?");
}

TEST_CASE("bytes owned by no array or by two are refused", "[safetensors]") {
  CHECK(entry("\"F32\"", "[2]", "[0,8]", 9) ==
        "the 1 bytes from byte 8 of the data belong to no array");
  CHECK(entry("\"F32\"", "[2]", "[4,12]", 12) ==
        "the 4 bytes from byte 0 of the data belong to no array");
  CHECK(parsed("{}", 3) == "the 3 bytes from byte 0 of the data belong to no array");
  const auto two = [](const char* offsets, std::size_t data_bytes) {
    return parsed(fmt::format(R"({{"a":{{"dtype":"U8","shape":[4],"data_offsets":[0,4]}},)"
                              R"("b":{{"dtype":"U8","shape":[4],"data_offsets":{}}}}})",
                              offsets),
                  data_bytes);
  };
  CHECK(two("[4,8]", 8) == "accepted");
  CHECK(two("[3,7]", 7) ==
        "array 'b': it begins at byte 3 of the data, but the array before it ends at 4");
  CHECK(two("[0,4]", 4) ==
        "array 'b': it begins at byte 0 of the data, but the array before it ends at 4");
  CHECK(two("[6,10]", 10) == "the 2 bytes from byte 4 of the data belong to no array");
}

TEST_CASE("a truncated file is refused", "[safetensors]") {
  const std::string bytes = to_safetensors(small_file());
  for (std::size_t length = 0; length < bytes.size(); ++length) {
    CAPTURE(length);
    CHECK(parsed(bytes.substr(0, length)) != "accepted");
  }
}

TEST_CASE("a file with any byte changed is read or refused, without reading past its end",
          "[safetensors]") {
  const std::string good = to_safetensors(small_file());
  int refused = 0;
  for (std::size_t at = 0; at < good.size(); ++at) {
    // Its own allocation, so that a memory checker sees a read past the end.
    for (const int change : {1, 2, 4, 8, 16, 32, 64, 128, 0xff, 'z' ^ good[at], '9' ^ good[at]}) {
      if (change == 0) continue;
      std::string bad = good;
      bad[at] = static_cast<char>(bad[at] ^ change);
      bad.shrink_to_fit();
      std::optional<TensorFile> file;
      try {
        file = parse_safetensors(bad, "x");
      } catch (const Error&) {
        ++refused;
      }
      if (file) REQUIRE(*file != small_file());
    }
  }
  CHECK(refused > 1000);
}

TEST_CASE("a file is read completely, and a missing one is an error", "[safetensors]") {
  testing::MemoryFileSystem files;
  files.make_directories("/d");
  files.write("/d/x.safetensors", to_safetensors(small_file()), Durability::kCached);
  CHECK(read_safetensors(files, "/d/x.safetensors") == small_file());
  CHECK_THROWS_MATCHES(read_safetensors(files, "/d/y.safetensors"), Error,
                       Message("/d/y.safetensors: no such file"));
}

}  // namespace
}  // namespace headway
