#pragma once

namespace headway {

inline constexpr const char* kVersion = HEADWAY_VERSION;  // from CMakeLists.txt

}  // namespace headway
