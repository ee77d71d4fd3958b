#include "lib/stage/provenance.h"

#include <algorithm>

namespace headway {

const StageOrigin* Provenance::find(std::string_view name) const {
  const auto found = std::ranges::find(stages, name, &StageOrigin::name);
  return found == stages.end() ? nullptr : &*found;
}

// Items of a matrix may have dots in their names, so the longest stage name that fits is meant.
const StageOrigin* Provenance::maker_of(std::string_view origin) const {
  for (std::size_t dot = origin.size(); dot != std::string_view::npos && dot > 0;
       dot = origin.rfind('.', dot - 1)) {
    if (const StageOrigin* found = find(origin.substr(0, dot))) return found;
  }
  return nullptr;
}

}  // namespace headway
