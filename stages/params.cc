#include "stages/params.h"

#include <algorithm>

namespace headway {

void check_components(const StageDeclaration& stage, Diagnostics& diagnostics) {
  const Value& components = *stage.params.find("components");
  std::vector<std::string> names;
  for (const Value& name : *components.list()) {
    if (std::ranges::find(names, *name.text()) != names.end())
      diagnostics.add(name.location, "{}: parameter 'components' names '{}' twice", stage.subject,
                      *name.text());
    names.push_back(*name.text());
  }
  if (names.empty())
    diagnostics.add(components.location, "{}: parameter 'components' names nothing", stage.subject);
}

std::vector<ComponentKind> kinds_of(const std::vector<std::string>& names) {
  std::vector<ComponentKind> kinds;
  for (const std::string& name : names) kinds.push_back(value_of<ComponentKind>(name).value());
  return kinds;
}

}  // namespace headway
