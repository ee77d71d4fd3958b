// Where a longer run of a stage goes on from: the state that a shorter one of the same family left.
// Knows nothing of what is in a state. A state that is missing, torn or changed costs time, never
// the result.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "lib/run/observer.h"
#include "lib/stage/stage_type.h"
#include "lib/store/store.h"

namespace headway {

// How much a stage is of the longest run that it is a beginning of.
struct Portion {
  Digest family;  // of all facts but the amount: equal for the parts of one run
  std::int64_t amount = 0;
  std::int64_t whole = 0;

  bool is_part() const { return amount < whole; }
};

// Nothing where the type declares no continuation.
std::optional<Portion> portion_of(const StageType& type, const std::vector<Fact>& facts);

// Called holding the key's lock. Whatever goes wrong is a warning that names the stage.
class Continuations {
 public:
  // `work` is a folder that belongs to this run alone.
  Continuations(Store& store, Observer& observer, Path work)
      : store_(store), files_(store.files()), observer_(observer), work_(std::move(work)) {}

  // Moves the state of a key that has been made to where longer runs look for it.
  void keep(const std::string& stage, const Portion& portion, const Digest& key, const Path& state);
  // Copies the state of the longest shorter run to `state`, where nothing is yet, and says how long
  // that run was; 0 where there is none.
  std::int64_t seed(const std::string& stage, const Portion& portion, const Path& state);

 private:
  bool copy(const Path& from, const ContinuationName& name, const Path& state);

  Store& store_;
  FileSystem& files_;
  Observer& observer_;
  const Path work_;
};

}  // namespace headway
