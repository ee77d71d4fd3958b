// Base64, as the browser sends pictures.
#pragma once

#include <string>
#include <string_view>

namespace headway::browser {

// Throws Error if the text is not base64.
std::string base64_decoded(std::string_view text);

}  // namespace headway::browser
