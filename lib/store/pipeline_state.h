// What each stage of a pipeline (or variant) did last, for status, why, show and time estimates.
// Only history: the records decide what is fresh. Kept in a journal, so that kill -9 loses at most
// one line. Thread-safe.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "lib/stage/stage_status.h"
#include "lib/store/journal.h"
#include "lib/store/layout.h"
#include "lib/store/record.h"

namespace headway {

struct StageState {
  // Or kRunning, kFailed, kCancelled; kWaiting: the last success is no longer current.
  StageStatus status = StageStatus::kDone;
  Digest key;                 // of the last attempt
  Digest good_key;            // of the last success; empty: never
  Digest previous_key;        // of the last success under another key; empty: none
  double seconds = 0;         // duration of the last success
  std::int64_t finished = 0;  // unix seconds
  std::string message;        // of a failure
  // The outputs of the last success, so that a run with nothing to do need not open its record.
  // Valid only while the record's text has the digest `record_stamp`.
  std::string record_stamp = {};
  std::vector<RecordedOutput> outputs = {};
};

using LastState = std::shared_ptr<const StageState>;  // null: it never ran

class PipelineState {
 public:
  PipelineState(FileSystem& files, const Layout& layout, const std::string& pipeline,
                const std::string& variant);

  // Null if it never ran. A returned state never changes; note() replaces it.
  LastState find(const std::string& stage) const;
  // If it never ran in this variation: what it did last without --set. Changes are explained by it.
  LastState find_similar(const std::string& stage) const;
  std::map<std::string, LastState> all() const;
  // The stages that it knows and that are not among these, sorted.
  std::vector<std::string> others_than(const std::unordered_set<std::string_view>& stages) const;
  // Writes the state, if it differs from the last one. Throws Error if it cannot be written.
  void note(const std::string& stage, const StageState& state);
  void forget(const std::string& stage);
  // Shortens a long journal. Nobody else may write to it meanwhile; a read-only store is no error.
  void compact();

  // The absolute path of the pipeline's file; "" if unknown. A file in the folder that holds the
  // outputs is recorded relative to it, so that the folder can be moved or copied as a whole.
  std::string file() const;
  // The arguments that made this variation of the file: --variant wide --set steps=50.
  std::vector<std::string> arguments() const;
  // Always writes a line: the journal's time tells which pipeline ran last.
  void note_file(const Path& file, const std::vector<std::string>& arguments = {});

  // What is wrong with the journal; "" if nothing is.
  std::string damage() const { return journal_.damage(); }

 private:
  void load();

  const Path outputs_;                                 // absolute
  std::unique_ptr<const PipelineState> without_sets_;  // null: nothing was set
  Journal journal_;
  mutable std::mutex mutex_;
  std::unordered_map<std::string, LastState> stages_;
  std::size_t lines_ = 0;  // of the journal, when it was read
  std::string file_;       // as written
  std::vector<std::string> arguments_;
};

struct KnownPipeline {
  std::string name;
  std::string variant;
  std::int64_t last_used = 0;  // ns since 1970

  std::string label() const { return variant.empty() ? name : name + "/" + variant; }
};

// Every pipeline and variant that has run with these outputs, the latest first.
std::vector<KnownPipeline> known_pipelines(FileSystem& files, const Layout& layout);

}  // namespace headway
