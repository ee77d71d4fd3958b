#include "lib/base/digest.h"

#include <openssl/evp.h>

#include <cassert>

namespace headway {
namespace {

// Fetched once: the look-up by name costs more than hashing a small record.
const EVP_MD* sha256() {
  static const EVP_MD* const algorithm = EVP_MD_fetch(nullptr, "SHA256", nullptr);
  return algorithm;
}

constexpr char kDigits[] = "0123456789abcdef";

// What each character is worth as a lower-case hex digit.
constexpr std::uint8_t kNoDigit = 16;
constexpr auto kWorth = [] {
  std::array<std::uint8_t, 256> worth{};
  worth.fill(kNoDigit);
  for (std::uint8_t i = 0; i < 16; ++i) worth[static_cast<unsigned char>(kDigits[i])] = i;
  return worth;
}();

}  // namespace

std::optional<Digest> Digest::from_hex(std::string_view hex) {
  if (hex.size() != 2 * kBytes) return std::nullopt;
  std::array<std::uint8_t, kBytes> bytes;
  for (std::size_t i = 0; i < kBytes; ++i) {
    const std::uint8_t high = kWorth[static_cast<unsigned char>(hex[2 * i])];
    const std::uint8_t low = kWorth[static_cast<unsigned char>(hex[2 * i + 1])];
    if (high == kNoDigit || low == kNoDigit) return std::nullopt;
    bytes[i] = static_cast<std::uint8_t>(high << 4 | low);
  }
  return Digest(bytes);
}

std::string Digest::hex() const {
  std::string text(2 * kBytes, '\0');
  for (std::size_t i = 0; i < kBytes; ++i) {
    text[2 * i] = kDigits[bytes_[i] >> 4];
    text[2 * i + 1] = kDigits[bytes_[i] & 15];
  }
  return text;
}

Sha256::Sha256() : context_(EVP_MD_CTX_new(), EVP_MD_CTX_free) {
  EVP_DigestInit_ex2(context_.get(), sha256(), nullptr);
}

Sha256& Sha256::update(std::string_view bytes) {
  EVP_DigestUpdate(context_.get(), bytes.data(), bytes.size());
  return *this;
}

Digest Sha256::finish() {
  std::array<std::uint8_t, Digest::kBytes> bytes;
  unsigned int size = 0;
  EVP_DigestFinal_ex(context_.get(), bytes.data(), &size);
  assert(size == Digest::kBytes);
  return Digest(bytes);
}

Digest digest_of(std::string_view bytes) {
  return Sha256().update(bytes).finish();
}

void append_field(std::string& text, std::string_view field) {
  text.append(std::to_string(field.size())).append(":").append(field);
}

}  // namespace headway
