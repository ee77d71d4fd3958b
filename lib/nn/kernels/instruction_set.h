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

inline InstructionSet best_instruction_set() {
#if defined(__x86_64__) && defined(__GNUC__) && !defined(__clang__)  // clang 14 lacks these names
  if (__builtin_cpu_supports("x86-64-v4")) return InstructionSet::kV4;
  if (__builtin_cpu_supports("x86-64-v3")) return InstructionSet::kV3;
#endif
  return InstructionSet::kAny;
}

// The one that kernels use unless they are told another one: the best that this processor has.
// Tests set lower ones, to compare.
inline InstructionSet& instruction_set_in_use() {
  static InstructionSet set = best_instruction_set();
  return set;
}
inline InstructionSet instruction_set() {
  return instruction_set_in_use();
}

}  // namespace headway
