// SHA-256 digests of contents: how everything in the store is named and compared.
#pragma once

#include <array>
#include <compare>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

namespace headway {

class Digest {
 public:
  static constexpr std::size_t kBytes = 32;

  Digest() = default;  // all zero: "no digest"
  explicit Digest(const std::array<std::uint8_t, kBytes>& bytes) : bytes_(bytes) {}

  static std::optional<Digest> from_hex(std::string_view hex);
  std::string hex() const;
  std::string short_hex() const { return hex().substr(0, 12); }  // for people
  bool empty() const { return *this == Digest(); }

  auto operator<=>(const Digest&) const = default;
  const std::array<std::uint8_t, kBytes>& bytes() const { return bytes_; }

 private:
  std::array<std::uint8_t, kBytes> bytes_{};
};

// Incremental hashing. Copying is not needed anywhere, so it is not offered.
class Sha256 {
 public:
  Sha256();
  ~Sha256();
  Sha256(const Sha256&) = delete;
  Sha256& operator=(const Sha256&) = delete;

  Sha256& update(std::string_view bytes);
  Digest finish();  // once

 private:
  void* context_;
};

Digest digest_of(std::string_view bytes);

// Adds a field to text that will be hashed: length first, then the bytes, so that ("ab","c") and
// ("a","bc") differ.
void append_field(std::string& text, std::string_view field);

}  // namespace headway

template <>
struct std::hash<headway::Digest> {
  std::size_t operator()(const headway::Digest& digest) const noexcept {
    std::size_t value = 0;  // the digest is already uniform: any 8 bytes do
    for (std::size_t i = 0; i < sizeof value; ++i) value = value << 8 | digest.bytes()[i];
    return value;
  }
};
