// The facts that a stage's result depends on. The key is their digest, and `headway why` compares
// them, so the two cannot disagree.
#pragma once

#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "lib/spec/pipeline_spec.h"
#include "lib/stage/provenance.h"
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

// A file of the user's, as it was when a fact was taken.
struct SeenFile {
  std::string name;       // as the pipeline names it
  Path place;             // its absolute path
  Path path;              // the same, with all links resolved
  bool is_found = false;  // the command names it, no list does (StageSpec::code)
  std::uint64_t stamp = 0;
  std::string contents;
};

// A fact and its source.
struct SourcedFact {
  FactKind kind = FactKind::kUnknown;
  Fact fact;
  SourceLocation location;           // where a parameter is set or an input is connected
  std::string upstream;              // for an input: "fetch.text", "the file ./data/rows.csv"
  std::vector<SeenFile> files = {};  // that a parameter names or an input reads
  // For a list or provenance that the store does not keep: its text.
  std::shared_ptr<const std::string> text = {};
};

Digest key_of(const std::vector<SourcedFact>& facts);
// What the facts of this kind are about: for kFile, the names of the files.
std::vector<std::string> subjects_of(const std::vector<SourcedFact>& facts, FactKind kind);

// An artifact that a stage reads from the store.
struct InputObject {
  std::string port;
  std::string upstream;  // "fetch.text"
  ObjectRef object;
};

// Records of finished stages; null: not finished.
using Finished = IndexedVector<StageId, std::shared_ptr<const Record>>;

// A part of an input: an output of a stage, or a file.
struct Artifact {
  const Source& source;
  StageId stage = {};
  OutputId output = {};
  const InputFiles::File* file = nullptr;  // instead of the two
};

// Calls visit(artifact) for each artifact that an input reads, in order. Members of a fan-in that
// have no record are left out; a single stage must be finished.
template <class Visit>
void for_each_artifact(const PipelineSpec& pipeline, const InputSpec& input,
                       const Finished& finished, const Visit& visit) {
  for (const Source& source : input.sources) {
    if (source.files) {
      for (const InputFiles::File& file : source.files->files)
        visit(Artifact{source, {}, {}, &file});
      continue;
    }
    if (!source.is_fan_in()) {
      visit(Artifact{source, source.stage, source.output});
      continue;
    }
    const FanIn& fan_in = pipeline.fan_ins[source.fan_in];
    for (const StageId member : fan_in.members) {
      if (finished[member]) visit(Artifact{source, member, fan_in.output});
    }
  }
}

// A source for a person: "fetch.text", "train@*", "the file ./data/rows.csv".
std::string describe(const PipelineSpec& pipeline, const Source& source);

// The origin of all that a stage reads. Its upstream stages must be finished; fan-in members
// without a record are left out.
Provenance provenance_of(const PipelineSpec& pipeline, const StageSpec& stage,
                         const Finished& finished, Store& store);

class FactMaker {
 public:
  FactMaker(const PipelineSpec& pipeline, Store& store)
      : pipeline_(pipeline), store_(store), lists_(pipeline.fan_ins.size()) {}

  // Upstream stages must be finished. Throws Error if a file that the stage names is missing.
  std::vector<SourcedFact> facts_of(const StageSpec& stage, const Finished& finished);
  // The input artifacts, for the job; `objects` gets those that the store has, in the same order.
  std::vector<InputPaths> inputs_of(const StageSpec& stage, const Finished& finished,
                                    std::vector<InputObject>& objects) const;
  // Why a stage has no result. Those that read it in a fan-in over variations learn it.
  void add_loss(StageId stage, const std::string& reason);
  std::string loss_of(StageId stage) const;
  // Describes how a file that the stage names has changed since the facts were taken; "" if none
  // has. An edit that was reverted counts: the stage may have read it.
  std::string changed_file(const std::vector<SourcedFact>& facts) const;
  // Fan-ins are read once. Call this before the results of their members may be others, while no
  // other thread uses the object.
  void forget_lists();
  // Runs write lists and provenance to the store. Explaining does not, so it works on a read-only
  // store; their text is then in the fact.
  void keep_lists(bool keep) { keep_lists_ = keep; }

 private:
  struct Text {
    Digest digest;
    std::shared_ptr<const std::string> unkept;  // null: the store has it
  };

  void add_params(const StageType& type, const Schema& schema, const Value& params,
                  const std::string& prefix, std::vector<SourcedFact>& facts);
  // `folder`: what relative names of files start from.
  void add_files(const Field& field, const Value& value, const Path& folder,
                 std::vector<SourcedFact>& facts);
  void add_input(const StageSpec& stage, const InputSpec& input, const Finished& finished,
                 std::vector<SourcedFact>& facts);
  void add_code(const StageSpec& stage, std::vector<SourcedFact>& facts);
  // Nothing if there is no such file.
  std::optional<SeenFile> see(const std::string& name, const Path& place, FactKind kind) const;
  SeenFile see_input(const Artifact& artifact) const;
  bool is_over_variations(const Source& source) const;
  // Members of fan-ins over variations that have no record.
  std::vector<LostItem> lost_items(const InputSpec& input, const Finished& finished) const;
  // `files` gets the files in the list.
  Text list_of(const InputSpec& input, const Finished& finished, std::vector<SeenFile>& files);
  Text keep(std::string text);

  const PipelineSpec& pipeline_;
  Store& store_;
  bool keep_lists_ = true;
  mutable std::mutex losses_mutex_;
  std::map<StageId, std::string> losses_;
  std::mutex mutex_;
  IndexedVector<FanInId, std::optional<Text>> lists_;  // computed once for all readers
};

}  // namespace headway
