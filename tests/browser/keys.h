// Keys of a keyboard, as the browser wants to hear of them.
#pragma once

#include <string>
#include <vector>

#include "lib/base/json.h"

namespace headway::browser {

// What Input.dispatchKeyEvent takes for a key that is pressed and let go: "Enter", "Shift+Tab",
// "a". An Error that lists the names there are where it is none.
std::vector<Json> key_events(const std::string& key);

}  // namespace headway::browser
