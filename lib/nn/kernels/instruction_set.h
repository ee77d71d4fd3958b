// Instruction sets that kernels are compiled for explicitly, because the shapes of their loops
// depend on the number and width of registers. Their results do not, where the processor has FMA.
#pragma once

#if defined(__x86_64__) && defined(__GNUC__)
#define HEADWAY_TARGET(arch) __attribute__((target("arch=" arch)))
#else
#define HEADWAY_TARGET(arch)
#endif

namespace headway {

enum class InstructionSet { kAny, kV3, kV4 };

// The best one that this processor has.
inline InstructionSet instruction_set() {
#if defined(__x86_64__) && defined(__GNUC__)
  static const InstructionSet kBest = [] {
    if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512vl") &&
        __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512dq"))
      return InstructionSet::kV4;
    if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") &&
        __builtin_cpu_supports("bmi2"))
      return InstructionSet::kV3;
    return InstructionSet::kAny;
  }();
  return kBest;
#else
  return InstructionSet::kAny;
#endif
}

}  // namespace headway
