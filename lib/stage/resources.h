// What a stage asks for. None of it is part of a key: a result does not depend on it.
#pragma once

#include <cstdint>

namespace headway {

struct Resources {
  int cpus = 1;
  std::uint64_t memory = 0;  // bytes; 0: unknown
  double time = 0;           // seconds, asked of a cluster's scheduler; 0: unknown
  int gpus = 0;
  bool operator==(const Resources&) const = default;
};

}  // namespace headway
