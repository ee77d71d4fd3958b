// How a native stage is written: a function of a context, run inside a worker process.
// The context is all that a stage may touch; it knows nothing of pipelines, keys or the store.
#pragma once

#include <functional>
#include <map>
#include <string>

#include "lib/stage/stage_type.h"

namespace headway {

class StageContext {
 public:
  explicit StageContext(const StageJob& job) : job_(job) {}
  virtual ~StageContext() = default;

  const Json& params() const { return job_.params; }
  int cpus() const { return job_.cpus; }
  // The artifact of a port that takes one; an Error where nothing is connected.
  const Path& input(std::string_view port) const;
  const InputPaths* find_input(std::string_view port) const;
  const std::vector<InputPaths>& inputs() const { return job_.inputs; }
  const Path& output(std::string_view name) const;
  // A scratch folder of this attempt, on the disk of its results.
  const Path& work() const { return job_.work; }
  // The pipeline file's folder, which parameters that name files mean.
  const Path& folder() const { return job_.folder; }
  // Where the inputs come from, as JSON; an Error where the stage's type does not ask for it.
  const Path& provenance() const;
  // A folder under the stage's key: what is written there is found again after an interruption.
  Path partial() const;

  // 0..1, with a few words; cheap enough for every step.
  virtual void progress(double fraction, std::string_view words) = 0;
  // True once the stage should save its state and throw Cancelled.
  virtual bool cancelled() const = 0;
  void throw_if_cancelled() const {
    if (cancelled()) throw Cancelled();
  }

 protected:
  const StageJob& job_;
};

using NativeStage = std::function<void(StageContext&)>;
using NativeStages = std::map<std::string, NativeStage, std::less<>>;

}  // namespace headway
