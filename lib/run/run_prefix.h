// A shorter run of a stage is a prefix of a longer one, for types that declare it
// (StageType::prefix_params): the longer one goes on from the state that the shorter one left.
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

// A run as a prefix of the longest one that it can become.
struct RunPrefix {
  Digest family;  // of all facts but the amount: equal for the prefixes of one run
  std::int64_t amount = 0;
  std::int64_t whole = 0;

  bool is_whole() const { return amount >= whole; }
};

// Nothing if the type declares no prefixes.
std::optional<RunPrefix> run_prefix_of(const StageType& type, const std::vector<Fact>& facts);

// The states that runs left. Called holding the key's lock. Whatever goes wrong is a warning that
// names the stage.
class PrefixStates {
 public:
  // `work` is a folder that belongs to this run alone.
  PrefixStates(Store& store, Observer& observer, Path work)
      : store_(store), files_(store.files()), observer_(observer), work_(std::move(work)) {}

  // Moves the state of a key that has been made to where longer runs look for it.
  void keep(const std::string& stage, const RunPrefix& prefix, const Digest& key,
            const Path& state);
  // Copies the state of the longest shorter run to `state`, where nothing is yet. Returns that
  // run's amount; 0 if there is none.
  std::int64_t copy_longest(const std::string& stage, const RunPrefix& prefix, const Path& state);

 private:
  bool copy(const Path& from, const ContinuationName& name, const Path& state);

  Store& store_;
  FileSystem& files_;
  Observer& observer_;
  const Path work_;
};

}  // namespace headway
