// What runs are doing at this moment, for other processes. A run replaces a small file in its
// folder as it goes (observers/live_observer); that the run still lives, its session's lock says.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "lib/base/file_system.h"
#include "lib/base/json.h"
#include "lib/stage/stage_status.h"
#include "lib/store/layout.h"
#include "lib/store/pipeline_state.h"

namespace headway {

struct LiveStage {
  // Unix seconds; 0: it has not started. On a cluster: since when it is on its node, or waits.
  std::int64_t since = 0;
  int attempt = 1;
  double fraction = kUnknownFraction;
  std::string words = {};
  std::string node = {};     // of a cluster; "": it runs here, or waits
  std::string waiting = {};  // for a node; "": it runs (JobPlace)
};

struct LiveRun {
  std::string id;
  std::string pipeline;       // label: name[/variant]; "": it is not written yet, or could not be
  std::int64_t started = 0;   // unix seconds
  std::string headline = {};  // of a run with variations: "4 of 9 finished"
  std::map<std::string, LiveStage> stages = {};  // that run or are still to run

  Json to_json() const;
  // Nothing if it is not such a text. Never throws.
  static std::optional<LiveRun> parse(const std::string& text);
};

// A stage that a cluster still has although the run that started it has ended.
struct DetachedStage {
  Digest key;
  std::string words;       // where it is: "on n2 (job 17)"
  std::int64_t since = 0;  // unix seconds
};

// Adds to `earlier` the runs that hold their session's lock. Writes nothing; leaves out what cannot
// be read.
std::vector<LiveRun> live_runs(FileSystem& files, const Layout& layout,
                               std::vector<LiveRun> earlier = {});

// How the stages of one pipeline stand in the runs of this moment. What a run writes may be a
// second old, so whether a stage runs is decided by the history, which is written at once.
class LiveStages {
 public:
  // `runs`: those of before and after the history was read, so that none is missed that began or
  // ended meanwhile.
  LiveStages(FileSystem& files, const Layout& layout, const std::string& pipeline,
             std::vector<LiveRun> runs, std::vector<DetachedStage> detached = {});

  // Null if no run has it now, on a node or waiting for one. `last` is its history.
  const LiveStage* running(const std::string& stage, const LastState& last) const;
  // Whether a run will come to it.
  bool is_queued(const std::string& stage, const LastState& last) const;
  // What an earlier run left on a cluster; null if nothing makes this key. A stage that a run has
  // taken over is still listed, so ask running() first.
  const DetachedStage* detached(const Digest& key) const;
  // How many stages are queued, given the history of all.
  std::size_t queued(const std::map<std::string, LastState>& history) const;
  bool any() const { return !runs_.empty(); }
  std::string headline() const;  // "" if there is none

 private:
  FileSystem& files_;
  const Layout& layout_;
  std::vector<LiveRun> runs_;
  std::vector<DetachedStage> detached_;
};

}  // namespace headway
