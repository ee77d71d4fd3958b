// What a file system in memory holds, as plain data that is cheap to copy; and what a power cut
// leaves of it.
//
// The model is that of a journalling file system, or a worse one: names, sizes, times and modes
// become durable in the order in which they were changed, contents at any time after that unless
// they are synced. So a cut that loses the last changes of names leaves what an earlier cut leaves,
// and it is enough to cut after every single change and to choose what is left of contents.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "lib/base/file_system.h"

namespace headway::testing {

struct Inode {
  FileInfo info;                                 // but its size, which is that of `bytes`
  std::string bytes;                             // of a file; the target of a link
  std::map<std::string, std::uint64_t> entries;  // of a folder: the inodes, by name
  bool is_protected = false;
  std::size_t durable = 0;  // so many of the first bytes are on the disk
  bool is_lost = false;     // a sync failed: later ones succeed, and write nothing
};

struct DiskState {
  // By number; null where it is free. Number 1 is the root. States share inodes, so whoever changes
  // one copies it first.
  std::vector<std::shared_ptr<Inode>> inodes;
  std::int64_t clock_ns = 0;
};

// The state after one change, and what the change was.
struct Moment {
  DiskState state;
  std::string change;  // "rename to /…/objects/ab/cdef.txt"
};

// What a power cut does to the contents of a file that are not on the disk yet. Sizes that are not
// changed come with the same times: the file looks as before.
enum class Tear {
  kNone,     // they were written just in time
  kGone,     // the file has only what was durable; a new one is empty
  kHalf,     // and half of the rest
  kShort,    // all but the last two bytes
  kZeros,    // as long as before, but zeros
  kZeroEnd,  // the second half of them is zeros
};
inline constexpr Tear kTears[] = {Tear::kGone, Tear::kHalf, Tear::kShort, Tear::kZeros,
                                  Tear::kZeroEnd};
const char* name_of(Tear tear);

// Files with contents that are not durable.
std::vector<std::uint64_t> unsettled_files(const DiskState& state);
// Of these files, those that are not journals of the store: the worst a journal can do is to
// outlive the file it describes.
std::vector<std::uint64_t> without_journals(const DiskState& state,
                                            std::vector<std::uint64_t> files);
// The state after a cut that tears these files. Locks are no part of a state: they are gone.
DiskState torn(const DiskState& state, const std::vector<std::uint64_t>& files, Tear tear);
// Where a file is, for messages.
std::string path_of(const DiskState& state, std::uint64_t inode);
// Equal for states that look the same to every program.
std::string fingerprint(const DiskState& state);

}  // namespace headway::testing
