// The sublayers of a transformer, called sites, and the units in them that can be removed: heads
// and feed-forward layers. Named `encoder.0.self.2` in files and `Encoder L0 H2` for people. Does
// not need LibTorch.
#pragma once

#include <compare>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "lib/base/enum_names.h"

namespace headway {

enum class Module { kEncoder, kDecoderSelf, kDecoderCross, kEncoderFeed, kDecoderFeed };
template <>
inline constexpr std::string_view kNamesOf<Module>[] = {"encoder", "decoder-self", "decoder-cross",
                                                        "encoder-ffn", "decoder-ffn"};

struct Site {
  Module module = Module::kEncoder;
  std::int64_t layer = 0;
  std::size_t index = 0;  // among all sites, in order of computation

  bool is_feed() const { return module >= Module::kEncoderFeed; }
  bool is_encoder() const { return module == Module::kEncoder || module == Module::kEncoderFeed; }
  std::string name() const;         // "decoder.1.cross", "decoder.1.feed"
  std::string label() const;        // "Decoder Cross L1", "Decoder FFN L1"
  std::string block() const;        // "decoder.1"
  std::string block_label() const;  // "Decoder Block L1"
};

// Whether the site is its block's first, and last.
bool begins_block(const std::vector<Site>& sites, const Site& site);
bool ends_block(const std::vector<Site>& sites, const Site& site);

inline constexpr int kWholeFeed = 0;  // a feed-forward layer is one unit

struct Unit {
  std::size_t site = 0;
  int head = 0;  // original number in the trained model; kWholeFeed for a feed-forward layer

  auto operator<=>(const Unit&) const = default;
};

}  // namespace headway
