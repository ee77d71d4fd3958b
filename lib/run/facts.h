// The facts that a stage's result depends on. One walk makes them; the key is their digest and
// `headway why` compares them, so the two cannot disagree.
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
  kFile,        // that a parameter names: its contents
  kVariable,    // of the environment, that a parameter names: its value
  kOutput,      // the file's name
  kInput,       // its contents
  kInputItem,   // what the item of a single input is called
  kProvenance,  // the digest of its text (lib/stage/provenance.h)
  kUnknown,     // of a record that another version wrote
};

// A fact's name, as in records and keys: "param epochs". `subject` is empty for kinds of which a
// stage has one fact.
std::string fact_name(FactKind kind, std::string_view subject = "");
// The kind of a fact that was read from a record.
FactKind fact_kind(std::string_view name);

// A fact with where it comes from.
struct SourcedFact {
  FactKind kind = FactKind::kUnknown;
  Fact fact;
  SourceLocation location;  // of a parameter: where it is set; of an input: where it is connected
  std::string upstream;     // of an input: "fetch.text"
  // Of a file that a parameter names: where it is, and its stamp when it was read.
  Path file = {};
  std::uint64_t stamp = 0;
};

Digest key_of(const std::vector<SourcedFact>& facts);

// The digest in a fact whose value is a text that the store keeps. Throws Error for other facts.
Digest list_digest(const Fact& fact);

// An artifact that a stage reads.
struct InputObject {
  std::string port;
  std::string upstream;  // "fetch.text"
  ObjectRef object;
};

// Records of the stages that are finished, by stage; null: not yet.
using Finished = IndexedVector<StageId, std::shared_ptr<const Record>>;

class FactMaker {
 public:
  FactMaker(const PipelineSpec& pipeline, Store& store)
      : pipeline_(pipeline), store_(store), lists_(pipeline.fan_ins.size()) {}

  // All upstream stages must be finished. Throws Error where a file that a parameter names is gone.
  std::vector<SourcedFact> facts_of(const StageSpec& stage, const Finished& finished);
  // The artifacts themselves, for the job; `objects` gets them in the same order.
  std::vector<InputPaths> inputs_of(const StageSpec& stage, const Finished& finished,
                                    std::vector<InputObject>& objects) const;
  // What became of the files that the stage's parameters name since its facts were taken: "" where
  // they are untouched. An edit that was taken back counts: the stage may have read it.
  std::string changed_file(const std::vector<SourcedFact>& facts) const;
  // Fan-in lists are written to the store only by runs; explaining must work on a read-only one.
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
  IndexedVector<FanInId, std::optional<Digest>> lists_;  // computed once for all who read it
};

}  // namespace headway
