// The record that ends an attempt on a node: how it ended and, if it succeeded, its outputs with
// their digests. The node writes it last, by rename, after its outputs are on the disk (if they
// took a second or longer, as in a local run; digests show what a power cut took of others). The
// engine believes nothing else: no exit code, no state of a job, no file that merely exists.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "lib/stage/executor.h"

namespace headway {

struct AttemptEnd {
  struct Output {
    std::string name;
    Digest digest;  // of a file, or of a folder with all in it
  };

  std::string attempt;  // its id: a record that was copied or moved is not believed
  StageResult result;
  std::vector<Output> outputs = {};  // empty unless it succeeded

  Json to_json() const;
  // Nothing if it is not such a record. Never throws.
  static std::optional<AttemptEnd> parse(const std::string& text);
};

// On the node: makes the record of a job that has ended. An output that is missing is left to the
// engine, which says so; with one that cannot be read, the attempt is lost.
AttemptEnd describe_end(FileSystem& files, const StageJob& job, StageResult result);
// Waits until the outputs are on the disk, where that is worth it, and then writes the records.
// Throws Error if one or more cannot be written; the others are.
void write_ends(FileSystem& files, const std::vector<std::pair<const StageJob*, AttemptEnd>>& ends);

// In the engine: the record of a job; nothing if there is none (yet).
std::optional<AttemptEnd> read_end(FileSystem& files, const StageJob& job);
// What of the outputs is not, or not yet, as the record says, for a person; "": all is there.
// Lists folders before it opens files: a network file system then asks its server again.
std::string missing_of(FileSystem& files, const StageJob& job, const AttemptEnd& end);

// The id of an attempt: the name of its work folder.
std::string attempt_id(const StageJob& job);

}  // namespace headway
