// A native stage is a function of a context, which runs in a worker process. The context is all
// that a stage may use; it knows nothing of pipelines, keys or the store.
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

  const std::string& type() const { return job_.type; }
  const Json& params() const { return job_.params; }
  int cpus() const { return job_.resources.cpus; }
  // The artifact of a port that takes one; throws Error if nothing is connected.
  const Path& input(std::string_view port) const;
  // Null if nothing is connected.
  const InputPaths* find_input(std::string_view port) const;
  const std::vector<InputPaths>& inputs() const { return job_.inputs; }
  // Where to write an output; throws Error if the stage has no such output.
  const Path& output(std::string_view name) const;
  // A temporary folder of this attempt, on the same disk as its results.
  const Path& work() const { return job_.work; }
  // The pipeline file's folder: parameters that name files are relative to it.
  const Path& folder() const { return job_.folder; }
  // Where the inputs come from, as JSON; an Error where the stage's type does not ask for it.
  const Path& provenance() const;
  // A folder that survives an interruption: the next attempt at the same key finds a copy. Created
  // if it does not exist.
  virtual Path partial() const;

  // Reports progress, 0..1, with a few words. Cheap enough for every step.
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
