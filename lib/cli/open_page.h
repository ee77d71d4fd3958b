// Opens a page in the browser.
#pragma once

#include "lib/base/file_system.h"

namespace headway {

// Starts $BROWSER or, if that is not set, xdg-open; the browser outlives this process. Throws
// Error, with advice, if it cannot be started or fails within two seconds.
void open_page(const Path& page);

}  // namespace headway
