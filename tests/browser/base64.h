// Base64, as the browser sends pictures.
#pragma once

#include <string>
#include <string_view>

namespace headway::browser {

// An Error where the text is none.
std::string base64_decoded(std::string_view text);

}  // namespace headway::browser
