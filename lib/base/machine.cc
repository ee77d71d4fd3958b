#include "lib/base/machine.h"

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

}  // namespace

const Json& machine_facts() {
  static const Json kFacts = look_up();
  return kFacts;
}

}  // namespace headway
