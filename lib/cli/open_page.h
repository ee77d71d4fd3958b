// Shows a page in the browser that the desktop has for it.
#pragma once

#include "lib/base/file_system.h"

namespace headway {

// By $BROWSER, or else xdg-open. What it starts goes on after us. An Error says what to do where
// it cannot be started, or says no at once.
void open_page(const Path& page);

}  // namespace headway
