// This program and this machine: for records, as a time means little without them, and for what the
// machine can run.
#pragma once

#include <filesystem>
#include <string>

#include "lib/base/json.h"

namespace headway {

inline constexpr const char* kVersion = HEADWAY_VERSION;  // from CMakeLists.txt

// cpu, cores, system, compiler, and libtorch (the version that the worker was built with). Looked
// up once.
const Json& machine_facts();

// What decides which code maths libraries choose on this processor, and with it the last bits of
// what they compute: the vendor and the instruction set, "Intel x86-64-v4 (AVX-512)". The same on
// equal processors.
std::string numerics_of_cpu();

// How many gpus the drivers of NVIDIA and AMD offer; others are not found. `root` is for tests.
int machine_gpus(const std::filesystem::path& root = "/");

}  // namespace headway
