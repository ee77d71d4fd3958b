// What this machine is, for records: who reads a time wants to know where it was taken.
#pragma once

#include "lib/base/json.h"

namespace headway {

// cpu, cores, system, compiler, libtorch (the version that the worker was built with). Looked up
// once.
const Json& machine_facts();

}  // namespace headway
