// What each stage of a pipeline (or variant) did last: for status, why, show and time estimates.
// Only history: what is true is in the records. A journal, so that kill -9 loses at most the line
// being written.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "lib/store/journal.h"
#include "lib/store/layout.h"
#include "lib/store/record.h"

namespace headway {

enum class StageStatus { kRunning, kDone, kFailed, kCancelled };

struct StageState {
  StageStatus status = StageStatus::kDone;
  Digest key;                 // of the last attempt
  Digest good_key;            // of the last success; empty: never
  Digest previous_key;        // of the success before, under another key; empty: none
  double seconds = 0;         // the last success took
  std::int64_t finished = 0;  // unix seconds
  std::string message;        // of a failure
  // Of the last success, so that a run with nothing to do need not open its record: what it
  // produced, and the digest of the record's text, without which this counts for nothing.
  std::string record_stamp = {};
  std::vector<RecordedOutput> outputs = {};
};

using LastState = std::shared_ptr<const StageState>;  // null: it never ran

class PipelineState {
 public:
  PipelineState(FileSystem& files, const Layout& layout, const std::string& pipeline,
                const std::string& variant);

  // Null where it never ran. Stages finish on many threads: what is returned is never changed, only
  // replaced.
  LastState find(const std::string& stage) const;
  std::map<std::string, LastState> all() const;
  std::vector<std::string> names() const;
  // Written only where it says something new.
  void note(const std::string& stage, const StageState& state);
  void forget(const std::string& stage);

  // Where the pipeline's file is: an absolute path. It is kept relative to the outputs where the
  // file lies beside or below them, so that a project can be moved or copied as a whole.
  std::string file() const;
  // Always written: the journal's time says which pipeline ran last.
  void note_file(const Path& file);

  // What was wrong with the journal; "" for nothing.
  std::string damage() const { return journal_.damage(); }

 private:
  void load();

  const Path outputs_;  // absolute
  Journal journal_;
  mutable std::mutex mutex_;
  std::unordered_map<std::string, LastState> stages_;
  std::string file_;  // as written
};

struct KnownPipeline {
  std::string name;
  std::string variant;
  std::int64_t last_used = 0;  // ns, to find the latest
};

// Every pipeline and variant that has run with these outputs, the latest first.
std::vector<KnownPipeline> known_pipelines(FileSystem& files, const Layout& layout);

}  // namespace headway
