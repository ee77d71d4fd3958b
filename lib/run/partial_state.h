// The state that an unfinished stage leaves in {partial}, for the next attempt at the same key.
// Each attempt gets its own folder, with a copy of the previous attempt's state and its note
// (StateNumerics). So a process that
// outlives its stage or run cannot write into the next attempt's folder, by path or through open
// files.
#pragma once

#include "lib/run/observer.h"
#include "lib/store/store.h"

namespace headway {

// Copies the previous attempt's state to `folder`, that of the new attempt, and removes all earlier
// ones. Returns false if there is none. If it cannot be read, warns and lets the stage start from
// nothing. The caller must hold the key's lock.
bool resume_partial_state(Store& store, const Digest& key, const Path& folder, Observer& observer);
// Removes all states of the key: when the stage has a result, or starts from nothing. The caller
// must hold the key's lock.
void remove_partial_states(Store& store, const Digest& key);
// Whether an unfinished attempt at the key left a state.
bool has_partial_state(Store& store, const Digest& key);

}  // namespace headway
