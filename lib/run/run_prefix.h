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

// For both: the caller must hold the key's lock. Errors become warnings that name the stage.

// Moves the state of a finished key to where longer runs look for it.
void keep_prefix_state(Store& store, Observer& observer, const std::string& stage,
                       const RunPrefix& prefix, const Digest& key, const Path& state);
// Copies the state of the longest shorter run to `state`, which must not exist. Returns that run's
// amount; 0 if there is none. `work` must be a folder that only this run uses.
std::int64_t copy_prefix_state(Store& store, Observer& observer, const std::string& stage,
                               const RunPrefix& prefix, const Path& state, const Path& work);

}  // namespace headway
