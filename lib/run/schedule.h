// What is left to do, with what it is expected to need. Plain data.
#pragma once

#include <cstdint>

#include "lib/run/stage_variations.h"
#include "lib/spec/graph.h"

namespace headway {

struct RunLimits {
  int cpus = 1;              // total that stages may use
  std::uint64_t memory = 0;  // the same in bytes; 0: no limit
  bool keep_going = false;   // after a failure, continue with stages that do not depend on it
  int gpus = 0;              // that a stage may ask for; -1: any number
  int queued = 0;            // cpus of further stages that an executor may hold until there is room
};

struct Schedule {
  const Graph& graph;
  NodeSet selected;                              // nodes to run; all others count as done
  IndexedVector<StageId, double> seconds;        // expected duration
  IndexedVector<StageId, int> cpus;              // needed
  IndexedVector<StageId, std::uint64_t> memory;  // needed, in bytes; 0: unknown
  RunLimits limits;
  StageVariations variations = {};
  // Stages whose duration is only guessed, by kind: the first of a kind that ends tells how long
  // the others will take. 0: the duration is known. Empty: all are.
  IndexedVector<StageId, std::size_t> kinds = {};

  // What a stage gets of the limits.
  int cpus_of(NodeId node) const;
  std::uint64_t memory_of(NodeId node) const;
};

}  // namespace headway
