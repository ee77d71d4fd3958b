// The contents of a file system in memory, cheap to copy, and the effect of a power cut on them.
//
// The model is a journalling file system or worse: names, sizes, times and modes become durable in
// the order of their changes, contents at any later time unless they are synced. Losing the last
// changes of names is the same as an earlier cut, so it is enough to cut after every change and to
// choose what remains of the contents.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "lib/base/file_system.h"

namespace headway::testing {

struct Inode {
  FileInfo info;                                 // except the size, which is that of `bytes`
  std::string bytes;                             // contents of a file, target of a link
  std::map<std::string, std::uint64_t> entries;  // for a folder: inodes by name
  bool is_protected = false;
  std::size_t durable = 0;  // number of leading bytes that are on disk
  bool is_lost = false;     // a sync failed: later ones succeed but write nothing
};

struct DiskState {
  // By number; null: free. Number 1 is the root. States share inodes: copy one before changing it.
  std::vector<std::shared_ptr<Inode>> inodes;
  std::int64_t clock_ns = 0;
};

// A change and the state after it.
struct Moment {
  DiskState state;
  std::string change;  // "rename to /…/objects/ab/cdef.txt"
};

// What a power cut does to contents that are not on disk yet. If the size stays, so do the times:
// the file looks unchanged.
enum class Tear {
  kNone,     // all were written
  kGone,     // only durable bytes are left; a new file is empty
  kHalf,     // durable bytes and half of the rest
  kShort,    // all but the last two bytes
  kZeros,    // same length, but zeros
  kZeroEnd,  // the second half is zeros
};
inline constexpr Tear kTears[] = {Tear::kGone, Tear::kHalf, Tear::kShort, Tear::kZeros,
                                  Tear::kZeroEnd};
const char* name_of(Tear tear);

// Files whose contents are not durable.
std::vector<std::uint64_t> unsettled_files(const DiskState& state);
// These files without the store's journals: the worst a journal can do is to outlive the file it
// describes.
std::vector<std::uint64_t> without_journals(const DiskState& state,
                                            std::vector<std::uint64_t> files);
// The state after a cut that damages these files. Locks are not part of a state.
DiskState torn(const DiskState& state, const std::vector<std::uint64_t>& files, Tear tear);
// The path of a file, for messages.
std::string path_of(const DiskState& state, std::uint64_t inode);
// Equal for states that no program can distinguish.
std::string fingerprint(const DiskState& state);

}  // namespace headway::testing
