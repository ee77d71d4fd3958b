// The store as a whole: what is no longer needed (gc) and what is damaged (verify).
#pragma once

#include <cstdint>
#include <set>
#include <string>
#include <vector>

#include "lib/base/enum_names.h"
#include "lib/store/store.h"

namespace headway {

// The lock of the whole store: shared by runs, exclusive for gc. Null if it is taken.
std::unique_ptr<FileLock> lock_store(Store& store, LockMode mode);

struct Garbage {
  enum class Kind {
    kRecord,
    kObject,
    kPartial,
    kPrefixState,
    kLog,
    kList,
    kLock,
    kWork,
    kTemporary
  };
  Kind kind;
  Path path;
  std::uint64_t bytes = 0;
  double age_seconds = 0;
  std::string label;  // of a record, or of what a recorded stage left: "addition/train"
};

template <>
inline constexpr std::string_view kNamesOf<Garbage::Kind>[] = {
    "record", "object", "partial state", "prefix state",   "log",
    "list",   "lock",   "work folder",   "unfinished file"};

// Everything that is older than `minimum_age_seconds` and belongs to none of these keys. Records
// come first, so that removing in order never leaves a record without its objects. The caller must
// hold the exclusive lock.
std::vector<Garbage> find_garbage(Store& store, const std::set<Digest>& keys_in_use,
                                  double minimum_age_seconds);
// Removes what find_garbage returned, in its order. The caller must still hold the lock.
void remove_garbage(Store& store, const std::vector<Garbage>& garbage);

struct Damage {
  Path path;  // the object, or the record if it cannot be read
  std::string what;
  std::string label;  // of an object: "addition/train.model"
  Digest key;         // of the record
  ObjectRef object;   // has no digest if the record is damaged
};

struct Verification {
  std::size_t records = 0;
  std::size_t objects = 0;
  std::uint64_t bytes = 0;
  std::vector<Damage> damages;
};

// Reads every byte of every object; changes nothing. During a run, a damaged object may be one that
// the run is just making again.
Verification verify_store(Store& store);
// Removes what is still damaged, with its record, so that the next run makes it again. The caller
// must hold the exclusive lock.
void remove_damage(Store& store, const Verification& verification);
// For a caller without the exclusive lock: forgets the digests of what is damaged, so that later
// runs read it, find the damage and make it again.
void distrust_damage(Store& store, const Verification& verification);

// Every key that has a record.
std::vector<Digest> recorded_keys(Store& store);
// The keys whose record has this label ("addition", "addition/wide"), and those whose record cannot
// be read.
std::set<Digest> recorded_keys_of(Store& store, const std::string& label);

// Removes the links of a pipeline or variant. In the folder of a pipeline, leaves the folders named
// in `others`, which belong to its variants. Never removes what a person put there.
void hide_results(Store& store, const std::string& pipeline, const std::string& variant,
                  const std::set<std::string>& others);

// Where a file may be after it was moved together with a folder above it, which is now `folder`.
// Which folder that was is unknown, so these are guesses, the longest first.
std::vector<Path> places_after_move(const Path& file, const Path& folder);

}  // namespace headway
