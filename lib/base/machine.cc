#include "lib/base/machine.h"

#include <sys/utsname.h>

#include <algorithm>
#include <fstream>
#include <thread>

#include "lib/base/text.h"

namespace headway {
namespace {

// What stands behind the name in the first line of the file that begins with it.
std::string value_in(const char* file, std::string_view name, char separator) {
  std::ifstream in(file);
  for (std::string line; std::getline(in, line);) {
    const std::size_t at = line.find(separator);
    if (at == std::string::npos || trim(std::string_view(line).substr(0, at)) != name) continue;
    std::string_view value = trim(std::string_view(line).substr(at + 1));
    if (value.size() > 1 && value.front() == '"') value = value.substr(1, value.size() - 2);
    return printable(value);
  }
  return "unknown";
}

std::string compiler_name() {
#ifdef __clang__
  return __VERSION__;  // says its name itself
#else
  return "GCC " __VERSION__;
#endif
}

#ifdef __x86_64__
// By features, not by __builtin_cpu_supports("x86-64-v3"), which older compilers do not know.
const char* instruction_set() {
  __builtin_cpu_init();
  const bool has_v2 = __builtin_cpu_supports("sse4.2") && __builtin_cpu_supports("popcnt");
  const bool has_v3 = has_v2 && __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") &&
                      __builtin_cpu_supports("bmi2");
  const bool has_v4 = has_v3 && __builtin_cpu_supports("avx512f") &&
                      __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512cd") &&
                      __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl");
  if (has_v4) return "x86-64-v4 (AVX-512)";
  if (has_v3) return "x86-64-v3 (AVX2, FMA)";
  return has_v2 ? "x86-64-v2 (SSE4.2)" : "x86-64";
}
#endif

Json look_up() {
  Json facts = {{"cpu", value_in("/proc/cpuinfo", "model name", ':')},
                {"cores", std::thread::hardware_concurrency()},
                {"system", value_in("/etc/os-release", "PRETTY_NAME", '=')},
                {"compiler", compiler_name()}};
#ifdef HEADWAY_LIBTORCH
  facts["libtorch"] = HEADWAY_LIBTORCH;
#endif
  return facts;
}

// The names in a folder; none if it cannot be read.
std::vector<std::string> names_in(const std::filesystem::path& folder) {
  std::vector<std::string> names;
  std::error_code ignored;
  std::filesystem::directory_iterator entry(folder, ignored), end;
  for (; entry != end; entry.increment(ignored)) names.push_back(entry->path().filename().string());
  return names;
}

bool is_nvidia_device(const std::string& name) {
  constexpr std::string_view kName = "nvidia";  // nvidia0, but not nvidiactl or nvidia-uvm
  return name.starts_with(kName) && name.size() > kName.size() &&
         std::all_of(name.begin() + kName.size(), name.end(), is_digit);
}

}  // namespace

int machine_gpus(const std::filesystem::path& root) {
  auto count = std::ranges::count_if(names_in(root / "dev"), is_nvidia_device);
  // AMD's driver lists processors of both kinds; those that are no gpu have the id 0.
  const std::filesystem::path nodes = root / "sys/class/kfd/kfd/topology/nodes";
  for (const std::string& node : names_in(nodes)) {
    std::uint64_t id = 0;
    count += std::ifstream(nodes / node / "gpu_id") >> id && id != 0;
  }
  return static_cast<int>(count);
}

const Json& machine_facts() {
  static const Json kFacts = look_up();
  return kFacts;
}

std::string numerics_of_cpu() {
#ifdef __x86_64__
  const std::string set = instruction_set();
  // With the same instruction set, libraries choose other code for another vendor.
  if (__builtin_cpu_is("intel")) return "Intel " + set;
  return __builtin_cpu_is("amd") ? "AMD " + set : set;
#else
  utsname names{};
  return ::uname(&names) == 0 ? printable(names.machine) : "unknown";
#endif
}

}  // namespace headway
