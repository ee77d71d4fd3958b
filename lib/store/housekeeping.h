// Looking after a store as a whole: what nobody needs any more (gc), and what is damaged (verify).
#pragma once

#include <cstdint>
#include <set>
#include <string>
#include <vector>

#include "lib/store/store.h"

namespace headway {

// Held by every run while it works, and by gc alone.
std::unique_ptr<FileLock> lock_store(Store& store, LockMode mode);

struct Garbage {
  enum class Kind { kRecord, kObject, kPartial, kContinuation, kLog, kList, kLock, kWork };
  Kind kind;
  Path path;
  std::uint64_t bytes = 0;
  double age_seconds = 0;
  std::string label;  // of a record, or of what a recorded stage left: "addition/train"
};

const char* kind_name(Garbage::Kind kind);

// Everything that belongs to none of these keys. `minimum_age` spares what is younger. Records come
// first: a record must never outlive its objects. Call it holding the store alone.
std::vector<Garbage> find_garbage(Store& store, const std::set<Digest>& keys_in_use,
                                  double minimum_age_seconds);
void remove_garbage(Store& store, const std::vector<Garbage>& garbage);

struct Damage {
  Path path;  // of an object, or of a record that cannot be read
  std::string what;
  std::string label;
  Digest key;        // of the record
  ObjectRef object;  // of an object; otherwise empty
};

struct Verification {
  std::size_t records = 0;
  std::size_t objects = 0;
  std::uint64_t bytes = 0;
  std::vector<Damage> damages;
};

// Reads every byte of every object again; changes nothing. What is found damaged beside a run may
// be a result that is being made again this moment.
Verification verify_store(Store& store);
// Removes what is still damaged with its record, so that nobody is shown it and the next run makes
// it again. Call it holding the store alone.
void remove_damage(Store& store, const Verification& verification);
// Where the store cannot be had alone: what is damaged counts as unknown, so that later runs read
// it, notice and make it again.
void distrust_damage(Store& store, const Verification& verification);

// Every key that has a record.
std::vector<Digest> recorded_keys(Store& store);
// Those of one pipeline, variant or sweep ("addition/by-lr"), and those that may be.
std::set<Digest> recorded_keys_of(Store& store, const std::string& label);

// Takes away the links of a pipeline, variant or sweep; of a pipeline, not those of `others`, the
// variants and sweeps in its folder. What a person put there stays.
void hide_results(Store& store, const std::string& pipeline, const std::string& variant,
                  const std::set<std::string>& others);

// Where a file may be now that was there before it was moved together with `folder`; the way down
// from the old folder is not known, so the longest comes first.
std::vector<Path> places_after_move(const Path& file, const Path& folder);

}  // namespace headway
