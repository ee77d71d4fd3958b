#include "lib/nn/hooks.h"

#include <fmt/format.h>

namespace headway {

std::string hook_name(const Site& site, HookPoint point) {
  const bool of_block = point == HookPoint::kResidPre || point == HookPoint::kResidPost;
  return fmt::format("{}.{}", of_block ? site.block() : site.name(), name_of(point));
}

Hooks Hooks::everywhere(std::function<void(const Site&, HookPoint, at::Tensor&)> call) {
  Hooks hooks({}, std::move(call));
  hooks.points_ = ~0U;
  return hooks;
}

bool Hooks::pass(const Site& site, HookPoint point, at::IntArrayRef shape,
                 at::Tensor& value) const {
  if (!wants(point)) return false;
  const at::Tensor shown = value.view(shape);
  const auto version = shown._version();
  at::Tensor passed = shown;
  visit(site, point, passed);
  if (passed.is_same(shown)) return shown._version() != version;
  value = passed.reshape(value.sizes()).contiguous();
  return true;
}

}  // namespace headway
