// Keyboard keys in the form the browser expects.
#pragma once

#include <string>
#include <vector>

#include "lib/base/json.h"

namespace headway::browser {

// The arguments of Input.dispatchKeyEvent for a key that is pressed and released: "Enter",
// "Shift+Tab", "a". Throws an Error that lists the known names for any other.
std::vector<Json> key_events(const std::string& key);

}  // namespace headway::browser
