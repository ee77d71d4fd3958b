// SHA-256 digests. The store names and compares contents by them.
#pragma once

#include <array>
#include <compare>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

struct evp_md_ctx_st;  // of OpenSSL

namespace headway {

class Digest {
 public:
  static constexpr std::size_t kBytes = 32;

  Digest() = default;  // all zero, which means "none"
  explicit Digest(const std::array<std::uint8_t, kBytes>& bytes) : bytes_(bytes) {}

  // Nothing unless the text is 64 lower-case hex digits.
  static std::optional<Digest> from_hex(std::string_view hex);
  std::string hex() const;                                       // 64 digits
  std::string short_hex() const { return hex().substr(0, 12); }  // for people
  bool empty() const { return *this == Digest(); }

  auto operator<=>(const Digest&) const = default;
  const std::array<std::uint8_t, kBytes>& bytes() const { return bytes_; }
  std::uint64_t number() const {  // the first 8 bytes: the same on every machine
    std::uint64_t number = 0;
    for (std::size_t i = 0; i < sizeof number; ++i) number = number << 8 | bytes_[i];
    return number;
  }

 private:
  std::array<std::uint8_t, kBytes> bytes_{};
};

// Hashes bytes that arrive in parts.
class Sha256 {
 public:
  Sha256();

  Sha256& update(std::string_view bytes);
  // The digest of all bytes. Call it once, last.
  Digest finish();

 private:
  std::unique_ptr<evp_md_ctx_st, void (*)(evp_md_ctx_st*)> context_;
};

Digest digest_of(std::string_view bytes);

// Appends a field to a text that will be hashed: its length, then its bytes, so that ("ab","c") and
// ("a","bc") hash differently.
void append_field(std::string& text, std::string_view field);

}  // namespace headway

template <>
struct std::hash<headway::Digest> {
  // A digest is uniform, so any 8 bytes will do.
  std::size_t operator()(const headway::Digest& digest) const noexcept { return digest.number(); }
};
