// The state that an unfinished stage leaves in {partial}, for the next attempt at the same key.
// Each attempt gets its own folder, with a copy of the previous attempt's state. So a process that
// outlives its stage or run cannot write into the next attempt's folder, by path or through open
// files.
#pragma once

#include "lib/run/observer.h"
#include "lib/store/store.h"

namespace headway {

// Use only while holding the key's lock.
class PartialState {
 public:
  // `attempt` must be a unique name.
  PartialState(Store& store, const Digest& key, const std::string& attempt);

  // The attempt's folder. It exists after resume() returned true or the caller has created it.
  const Path& path() const { return path_; }
  // Copies the previous attempt's state. Returns false if there is none. If it cannot be read,
  // warns and lets the stage start from nothing.
  bool resume(Observer& observer);
  // Call when the stage has a result: removes all states of the key.
  void remove();

 private:
  bool copy_last();
  std::vector<Path> folders();  // all attempts at the key, the latest last

  FileSystem& files_;
  const Path all_;            // the folder that holds all states
  const std::string prefix_;  // of the folder names of this key
  const Path path_;
};

// Whether an unfinished attempt at the key left a state.
bool has_partial_state(Store& store, const Digest& key);

}  // namespace headway
