// libFuzzer's entry: `fuzzer TARGET [option or corpus…]`.
#include <cstdint>
#include <cstdio>
#include <cstdlib>

#include "tests/fuzz/fuzz.h"

namespace {

constexpr const char* kVariable = "HEADWAY_FUZZ_TARGET";  // for the processes that libFuzzer starts
headway::fuzz::Run run = nullptr;

}  // namespace

extern "C" int LLVMFuzzerInitialize(int* count, char*** arguments) {
  if (*count > 1 && headway::fuzz::find_target((*arguments)[1])) {
    setenv(kVariable, (*arguments)[1], 1);
    (*arguments)[1] = (*arguments)[0];
    ++*arguments;
    --*count;
  }
  const char* name = std::getenv(kVariable);
  run = name ? headway::fuzz::find_target(name) : nullptr;
  if (run) return 0;
  std::fprintf(stderr, "usage: fuzzer TARGET [option or corpus…]; targets:");
  for (const std::string& target : headway::fuzz::target_names())
    std::fprintf(stderr, " %s", target.c_str());
  std::fprintf(stderr, "\n");
  std::exit(2);
}

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  run({reinterpret_cast<const char*>(data), size});
  return 0;
}
