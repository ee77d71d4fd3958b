// What a stage needs of an allocation: the resources and options of the job that runs it. Stages of
// one shape share allocations. Pure.
#pragma once

#include <string>

#include "lib/cluster/site.h"
#include "lib/stage/stage_type.h"

namespace headway {

struct Shape {
  Resources resources;
  SlurmOptions options;
  bool operator==(const Shape&) const = default;
};

// What the scheduler is asked for beyond the time of a stage, in seconds: the agent starts, stops
// and writes records.
inline constexpr double kTimeAround = 120;

// A stage that fits goes into the site's common allocation, any other into one of its own shape. It
// fits if it asks for no more cpus, memory or gpus, for no other options, and for at most half of
// the time: a long stage would find too little time left.
Shape shape_of(const StageJob& job, double timeout_seconds, const SlurmSite& site);

// How long a stage may take, as far as it says: its time, or else its timeout; 0: unknown.
double time_of(const StageJob& job, double timeout_seconds, const SlurmSite& site);

// The same for equal shapes, and for no others.
std::string id_of(const Shape& shape);

}  // namespace headway
