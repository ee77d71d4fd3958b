// The state that an unfinished stage leaves ({partial}), for the next attempt at the same key. Each
// attempt has a folder of its own, and starts with a copy of what the last one left. So a program
// that outlived its stage, or its run, cannot write into the folder of the next attempt: neither by
// its path nor through the files that it has open.
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
  // Copies what the last attempt left. False where there is nothing. What cannot be read is a
  // warning, and the stage starts from nothing.
  bool resume(Observer& observer);
  // The attempt ended with a result: there is nothing to go on from any more.
  void remove();

 private:
  bool copy_last();
  std::vector<Path> folders();  // of all attempts at the key, the last one's at the end

  FileSystem& files_;
  const Path all_;            // the folder that holds all states
  const std::string prefix_;  // of the names of this key's
  const Path path_;
};

// Whether an unfinished attempt at the key left a state.
bool has_partial_state(Store& store, const Digest& key);

}  // namespace headway
