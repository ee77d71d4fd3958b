#include "lib/analysis/components.h"

namespace headway {
namespace {

std::vector<Component> blocks_of(const TransformerConfig& config) {
  std::vector<Component> blocks;
  const std::vector<Site> sites = config.sites();
  for (const Unit& unit : config.units()) {
    const Site& site = sites[unit.site];
    if (blocks.empty() || blocks.back().name != site.block())
      blocks.push_back({ComponentKind::kBlock, site.block(), site.block_label(), {}});
    blocks.back().units.push_back(unit);
  }
  return blocks;
}

}  // namespace

std::vector<Component> components_of(const TransformerConfig& config,
                                     const std::vector<ComponentKind>& kinds) {
  std::vector<Component> components;
  const std::vector<Site> sites = config.sites();
  for (const ComponentKind kind : kinds) {
    if (kind == ComponentKind::kBlock) {
      for (Component& block : blocks_of(config)) components.push_back(std::move(block));
      continue;
    }
    for (const Unit& unit : config.units()) {
      if (sites[unit.site].is_feed() == (kind == ComponentKind::kFeed))
        components.push_back({kind, config.name(unit), config.label(unit), {unit}});
    }
  }
  return components;
}

std::vector<Unit> units_of(std::span<const Component> components) {
  std::vector<Unit> units;
  for (const Component& component : components)
    units.insert(units.end(), component.units.begin(), component.units.end());
  return units;
}

std::vector<std::vector<Unit>> units_of_each(const std::vector<Component>& components) {
  std::vector<std::vector<Unit>> each;
  for (const Component& component : components) each.push_back(component.units);
  return each;
}

}  // namespace headway
