// This program and this machine, for records: a time means little without them.
#pragma once

#include "lib/base/json.h"

namespace headway {

inline constexpr const char* kVersion = HEADWAY_VERSION;  // from CMakeLists.txt

// cpu, cores, system, compiler, and libtorch (the version that the worker was built with). Looked
// up once.
const Json& machine_facts();

}  // namespace headway
