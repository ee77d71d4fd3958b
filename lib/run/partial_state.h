// The state that an unfinished stage leaves ({partial}), for the next attempt at the same key. Each
// attempt has a folder of its own. So a program that outlived a killed run cannot write into the
// folder of the next: its path is gone, and so are the files that it has open.
#pragma once

#include "lib/run/observer.h"
#include "lib/store/store.h"

namespace headway {

// Used while holding the key's lock.
class PartialState {
 public:
  // `attempt` is a name that no other attempt has.
  PartialState(Store& store, const Digest& key, const std::string& attempt);

  // The attempt's folder. It exists once resume() found something, or somebody made it.
  const Path& path() const { return path_; }
  // Takes over what the last attempt left; a copy, where that one was killed. False where there is
  // nothing. What cannot be read is a warning, and the stage starts from nothing.
  bool resume(Observer& observer);
  // The attempt ended without a result: the next one finds what it left.
  void leave();
  // It ended with one: there is nothing to go on from.
  void remove();

 private:
  bool copy_abandoned();

  FileSystem& files_;
  const Path all_;    // the folder that holds all states
  const Path saved_;  // where a state waits that was left in order
  const Path path_;
};

// Whether an unfinished attempt at the key left a state, in order or not.
bool has_partial_state(Store& store, const Digest& key);

}  // namespace headway
