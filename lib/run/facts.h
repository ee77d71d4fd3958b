// The facts that a stage's result depends on. The key is their digest, and `headway why` compares
// them, so the two cannot disagree.
#pragma once

#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "lib/spec/pipeline_spec.h"
#include "lib/store/store.h"

namespace headway {

enum class FactKind {
  kStageType,
  kTypeVersion,
  kParam,
  kFile,        // contents of a file that a parameter names
  kVariable,    // value of an environment variable that a parameter names
  kOutput,      // name of an output file
  kInput,       // contents of an input
  kInputItem,   // item name of a single input
  kProvenance,  // digest of the provenance text (lib/stage/provenance.h)
  kUnknown,     // read from a record of another version
};

// A fact's name as in records and keys: "param epochs". `subject` is empty for kinds that occur
// once per stage.
std::string fact_name(FactKind kind, std::string_view subject = "");
// The kind of a fact read from a record.
FactKind fact_kind(std::string_view name);

// A fact and its source.
struct SourcedFact {
  FactKind kind = FactKind::kUnknown;
  Fact fact;
  SourceLocation location;  // where a parameter is set or an input is connected
  std::string upstream;     // for an input: "fetch.text"
  // For a file that a parameter names: its path, and its stamp when it was read.
  Path file = {};
  std::uint64_t stamp = 0;
};

Digest key_of(const std::vector<SourcedFact>& facts);

// The digest of a text that the store keeps. Throws Error if the fact's value is no such text.
Digest list_digest(const Fact& fact);

// An artifact that a stage reads.
struct InputObject {
  std::string port;
  std::string upstream;  // "fetch.text"
  ObjectRef object;
};

// Records of finished stages; null: not finished.
using Finished = IndexedVector<StageId, std::shared_ptr<const Record>>;

class FactMaker {
 public:
  FactMaker(const PipelineSpec& pipeline, Store& store)
      : pipeline_(pipeline), store_(store), lists_(pipeline.fan_ins.size()) {}

  // Upstream stages must be finished. Throws Error if a file that a parameter names is missing.
  std::vector<SourcedFact> facts_of(const StageSpec& stage, const Finished& finished);
  // The input artifacts, for the job; `objects` gets the same artifacts in the same order.
  std::vector<InputPaths> inputs_of(const StageSpec& stage, const Finished& finished,
                                    std::vector<InputObject>& objects) const;
  // Describes how a file named by a parameter has changed since the facts were taken; "" if none
  // has. An edit that was reverted counts: the stage may have read it.
  std::string changed_file(const std::vector<SourcedFact>& facts) const;
  // Runs write fan-in lists to the store. Explaining does not, so it works on a read-only store.
  void keep_lists(bool keep) { keep_lists_ = keep; }

 private:
  void add_params(const Schema& schema, const Value& params, const std::string& prefix,
                  std::vector<SourcedFact>& facts);
  void add_files(const Field& field, const Value& value, std::vector<SourcedFact>& facts);
  void add_input(const StageSpec& stage, const InputSpec& input, const Finished& finished,
                 std::vector<SourcedFact>& facts);
  std::string describe(const Source& source) const;
  std::string list_text(const Source& source, const Finished& finished) const;
  std::vector<StageId> members_of(const FanIn& fan_in, const Finished& finished) const;
  Digest fan_in_digest(const Source& source, const Finished& finished);
  Digest keep(const std::string& list);

  const PipelineSpec& pipeline_;
  Store& store_;
  bool keep_lists_ = true;
  std::mutex mutex_;
  IndexedVector<FanInId, std::optional<Digest>> lists_;  // computed once for all readers
};

}  // namespace headway
