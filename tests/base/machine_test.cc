#include "lib/base/machine.h"

#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>
#include <fstream>
#include <sstream>

#include "lib/base/text.h"
#include "tests/support/temporary_folder.h"

namespace headway::testing {
namespace {

using Catch::Matchers::ContainsSubstring;

TEST_CASE("the numerics of a processor are one line that stays the same") {
  const std::string numerics = numerics_of_cpu();
  CHECK_FALSE(numerics.empty());
  CHECK(numerics == printable(numerics));
  CHECK(numerics == numerics_of_cpu());
}

#ifdef __x86_64__
TEST_CASE("the numerics of a processor name the instruction set that the kernel lists") {
  std::ifstream file("/proc/cpuinfo");
  std::stringstream text;
  text << file.rdbuf();
  const auto has = [&](const char* flag) {
    return (text.str() + " ").find(std::string(" ") + flag + " ") != std::string::npos;
  };
  CHECK_THAT(numerics_of_cpu(), ContainsSubstring(has("avx512vl") ? "x86-64-v4 (AVX-512)"
                                                  : has("avx2")   ? "x86-64-v3 (AVX2, FMA)"
                                                  : has("sse4_2") ? "x86-64-v2"
                                                                  : "x86-64"));
}
#endif

TEST_CASE("a machine without a gpu's driver has no gpus", "[base]") {
  CHECK(machine_gpus(TemporaryFolder().path()) == 0);
}

TEST_CASE("a gpu is a numbered device of NVIDIA's driver", "[base]") {
  const TemporaryFolder root;
  for (const char* name : {"nvidia0", "nvidia1", "nvidia12", "nvidiactl", "nvidia-uvm", "nvidia"})
    root.write(Path("dev") / name, "");
  CHECK(machine_gpus(root.path()) == 3);
}

TEST_CASE("a gpu is a node of AMD's driver with an id", "[base]") {
  const TemporaryFolder root;
  const Path nodes = "sys/class/kfd/kfd/topology/nodes";
  root.write(nodes / "0/gpu_id", "0\n");  // the processor
  root.write(nodes / "1/gpu_id", "51612\n");
  root.write(nodes / "2/name", "");
  CHECK(machine_gpus(root.path()) == 1);
}

}  // namespace
}  // namespace headway::testing
