// For types with StageType::prefix_params, a shorter run is a prefix of a longer one: the longer
// run continues from the state that the shorter one left. Does not interpret states. A missing,
// incomplete or changed state costs time but never changes the result.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "lib/run/observer.h"
#include "lib/stage/stage_type.h"
#include "lib/store/store.h"

namespace headway {

// A run as a prefix of longer runs.
struct RunPrefix {
  Digest family;  // digest of all facts except the amount: equal for all prefixes of one run
  std::int64_t amount = 0;
  std::int64_t whole = 0;

  bool is_whole() const { return amount >= whole; }
};

// Nullopt if the type declares no prefix_params.
std::optional<RunPrefix> run_prefix_of(const StageType& type, const std::vector<Fact>& facts);

// Saved states. Use only while holding the key's lock. Errors become warnings that name the stage.
class PrefixStates {
 public:
  // `work` must be a folder that only this run uses.
  PrefixStates(Store& store, Observer& observer, Path work)
      : store_(store), files_(store.files()), observer_(observer), work_(std::move(work)) {}

  // Moves the state of a finished key to where longer runs look for it.
  void keep(const std::string& stage, const RunPrefix& prefix, const Digest& key,
            const Path& state);
  // Copies the state of the longest shorter run to `state`, which must not exist. Returns that
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
