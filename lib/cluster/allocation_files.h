// Names and texts that engine and agent share. All is in one folder for each allocation:
//
//   <allocation>/request.json       what the engine asks for, written before the job is submitted
//   <allocation>/job                the job's id, written after
//   <allocation>/script.sh, output.log
//   <allocation>/<life>/hello.json  written by the agent when it starts. A job that is requeued, or
//                                   that runs twice after a failed node, has several lives
//   <allocation>/<life>/state.json  what it is doing, rewritten once a second
//   <allocation>/<life>/orders/     messages from the engine: {"run": [{"job": …, "timeout": s}],
//                                   "cancel": [attempt…], "kill": [attempt…], "stop": true}
//   <allocation>/<life>/notices/    messages to the engine: {"began": [attempt…],
//                                   "ended": [attempt…], "bye": why}
//
// Each file has one writer. An agent whose folder is gone ends.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "lib/base/file_system.h"
#include "lib/base/json.h"
#include "lib/stage/stage_status.h"

namespace headway {

namespace allocation_files {
inline constexpr const char* kRequest = "request.json";
inline constexpr const char* kJob = "job";
inline constexpr const char* kScript = "script.sh";
inline constexpr const char* kOutput = "output.log";
inline constexpr const char* kHello = "hello.json";
inline constexpr const char* kState = "state.json";
inline constexpr const char* kOrders = "orders";
inline constexpr const char* kNotices = "notices";
// The variable that tells the agent when its job began, in unix seconds.
inline constexpr const char* kBegan = "HEADWAY_JOB_BEGAN";
}  // namespace allocation_files

// What an agent must know before it starts.
struct AgentRequest {
  std::string build;  // of the engine's programs (build_stamp)
  std::string shape;  // id_of() the shape, for a run that takes it over
  int cpus = 1;
  std::uint64_t memory = 0;    // bytes, for all its stages; 0: no limit
  double time = 0;             // seconds that its job may take; 0: no limit
  double idle = 60;            // it ends after so long without work
  double visible_within = 60;  // how long inputs may take to appear
  std::vector<std::string> env =
      {};  // names of its variables that stages see, beside the usual ones

  template <class Self, class Visit>
  static void each_field(Self& self, const Visit& visit) {
    visit("build", self.build);
    visit("shape", self.shape);
    visit("cpus", self.cpus);
    visit("memory", self.memory);
    visit("time", self.time);
    visit("idle", self.idle);
    visit("visible_within", self.visible_within);
    visit("env", self.env);
  }
};

struct AgentHello {
  std::string build;
  std::string node;
  std::string job;            // id, for people
  std::int64_t restarts = 0;  // of the job
  Json machine;               // machine_facts, and the node

  template <class Self, class Visit>
  static void each_field(Self& self, const Visit& visit) {
    visit("build", self.build);
    visit("node", self.node);
    visit("job", self.job);
    visit("restarts", self.restarts);
    visit("machine", self.machine);
  }
};

struct AgentState {
  struct Stage {
    double fraction = kUnknownFraction;
    std::string words = {};
    std::int64_t since = 0;  // unix seconds; 0: it has not begun
  };
  std::int64_t time = 0;            // when it was written, unix seconds, by the node's clock
  std::uint64_t memory = 0;         // bytes that all its processes use
  std::optional<double> left = {};  // seconds until its job's limit; none: no limit
  std::map<std::string, Stage> stages = {};  // by attempt

  Json to_json() const;
  // Nothing if it is not such a text. Never throws.
  static std::optional<AgentState> parse(const std::string& text);
};

// Reads such a file; nothing if it is not there or not whole. Never throws.
template <class Struct>
std::optional<Struct> read_struct(FileSystem& files, const Path& path);

// A digest of our two programs: an agent of another build must not run our stages. `worker` need
// not exist.
std::string build_stamp(const Path& worker);

}  // namespace headway
