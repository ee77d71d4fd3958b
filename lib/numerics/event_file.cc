#include "lib/numerics/event_file.h"

#include <array>
#include <bit>

namespace headway {
namespace {

constexpr std::array<std::uint32_t, 256> kCrcTable = [] {
  std::array<std::uint32_t, 256> table{};
  for (std::uint32_t i = 0; i < table.size(); ++i) {
    std::uint32_t crc = i;
    for (int bit = 0; bit < 8; ++bit) crc = (crc >> 1) ^ ((crc & 1) * 0x82f63b78U);
    table[i] = crc;
  }
  return table;
}();

// The format stores checksums in this form, because checksums of checksums are weak.
std::uint32_t masked(std::uint32_t crc) {
  return std::rotr(crc, 15) + 0xa282ead8U;
}

// Little-endian on every machine.
template <class Integer>
std::string fixed(Integer number) {
  std::string bytes;
  for (std::size_t i = 0; i < sizeof(Integer); ++i) {
    bytes += static_cast<char>(number & 0xff);
    number = static_cast<Integer>(number >> 8);
  }
  return bytes;
}

std::string varint(std::uint64_t number) {
  std::string bytes;
  for (; number >= 0x80; number >>= 7) bytes += static_cast<char>((number & 0x7f) | 0x80);
  return bytes + static_cast<char>(number);
}

// Fields of a protobuf message: a number and a wire type, then the value.
std::string key(unsigned field, unsigned wire_type) {
  return varint(field << 3 | wire_type);
}
std::string integer_field(unsigned field, std::int64_t value) {
  return key(field, 0) + varint(static_cast<std::uint64_t>(value));
}
std::string double_field(unsigned field, double value) {
  return key(field, 1) + fixed(std::bit_cast<std::uint64_t>(value));
}
std::string bytes_field(unsigned field, std::string_view bytes) {
  return key(field, 2) + varint(bytes.size()) + std::string(bytes);
}
std::string float_field(unsigned field, float value) {
  return key(field, 5) + fixed(std::bit_cast<std::uint32_t>(value));
}

std::string record(const std::string& bytes) {
  const std::string length = fixed(static_cast<std::uint64_t>(bytes.size()));
  return length + fixed(masked(crc32c(length))) + bytes + fixed(masked(crc32c(bytes)));
}

}  // namespace

std::string event_file_begin(double time) {
  return record(double_field(1, time) + bytes_field(3, "brain.Event:2"));
}

std::string scalar_event(double time, std::int64_t step,
                         const std::vector<std::pair<std::string, double>>& scalars) {
  std::string summary;
  for (const auto& [tag, value] : scalars)
    summary += bytes_field(1, bytes_field(1, tag) + float_field(2, static_cast<float>(value)));
  return record(double_field(1, time) + integer_field(2, step) + bytes_field(5, summary));
}

std::uint32_t crc32c(std::string_view bytes) {
  std::uint32_t crc = ~0U;
  for (const char byte : bytes)
    crc = (crc >> 8) ^ kCrcTable[(crc ^ static_cast<unsigned char>(byte)) & 0xff];
  return ~crc;
}

}  // namespace headway
