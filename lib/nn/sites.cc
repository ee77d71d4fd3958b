#include "lib/nn/sites.h"

#include <fmt/format.h>

namespace headway {

std::string Site::block() const {
  return fmt::format("{}.{}", is_encoder() ? "encoder" : "decoder", layer);
}

std::string Site::name() const {
  constexpr const char* kParts[] = {"self", "self", "cross", "feed", "feed"};
  return fmt::format("{}.{}", block(), kParts[static_cast<std::size_t>(module)]);
}

std::string Site::label() const {
  constexpr const char* kLabels[] = {"Encoder", "Decoder Self", "Decoder Cross", "Encoder FFN",
                                     "Decoder FFN"};
  return fmt::format("{} L{}", kLabels[static_cast<std::size_t>(module)], layer);
}

std::string Site::block_label() const {
  return fmt::format("{} Block L{}", is_encoder() ? "Encoder" : "Decoder", layer);
}

bool begins_block(const std::vector<Site>& sites, const Site& site) {
  return site.index == 0 || sites[site.index - 1].block() != site.block();
}

bool ends_block(const std::vector<Site>& sites, const Site& site) {
  return site.index + 1 == sites.size() || sites[site.index + 1].block() != site.block();
}

}  // namespace headway
