// How the stages of a pipeline stand: what `headway status` prints, watches and gives to programs.
#pragma once

#include <string>
#include <vector>

#include "lib/base/json.h"
#include "lib/run/live_run.h"
#include "lib/spec/pipeline_spec.h"
#include "lib/store/store.h"

namespace headway {

struct StageStanding {
  std::string stage;
  std::string family;
  // fresh, running, waiting (for a node of a cluster), queued, detached (a cluster has it, but no
  // run), interrupted, failed, stale or never run
  std::string state;
  std::string words;             // how far it is, or why it is not fresh
  std::int64_t since = 0;        // of a running or detached stage; unix seconds
  Json fields = Json::object();  // more, for programs

  bool is_running() const { return state == "running"; }
  std::string text() const;  // the words and, if it runs, since when
};

struct PipelineStatus {
  std::string pipeline;  // label
  std::string file;
  bool is_running = false;                 // a run has it now
  std::string headline;                    // of a run with variations: "4 of 9 trials finished"
  std::vector<StageStanding> stages = {};  // in the order of the graph

  std::string title() const;  // "walks (walks.yaml): 2 fresh, 1 running"
  // The title and a line for each stage. Matrix stages in the same state share a line, unless they
  // run, or `full`. If `width` is not 0, long lines go on in further ones.
  std::vector<std::string> lines(bool full, std::size_t width = 0) const;
  Json to_json() const;
};

// Complains of damaged journals. Throws Error if a file that a parameter names is missing.
PipelineStatus status_of(const PipelineSpec& pipeline, Store& store);
// The same, given what earlier runs left on a cluster.
PipelineStatus status_of(const PipelineSpec& pipeline, Store& store,
                         std::vector<DetachedStage> detached);

}  // namespace headway
