// References between stages: `stage`, `stage.output`, `stage@item.output`, `stage@axis=value,*`
// (item_selector.h), `stage@*`. Turns `in` and `needs` into indices. An unknown name is a mistake,
// with a suggestion.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "lib/spec/named_files.h"
#include "lib/spec/pipeline_spec.h"

namespace headway {

class References {
 public:
  // `over_variations`: the stages that refer are behind all variations of a merged pipeline.
  References(PipelineSpec& pipeline, Diagnostics& diagnostics, bool over_variations = false);

  // A reference to a stage or to files, or a list of them. `subject` ("stage 'plot'") is the stage
  // that refers, `port` its input. A mistake goes to `diagnostics` and gives no source.
  std::vector<Source> resolve_input(const Value& reference, const std::string& subject,
                                    const std::string& port, NamedFiles& files);
  // The same for an entry of `needs`, which names no output.
  std::optional<Source> resolve_need(const Value& reference, const std::string& subject);

  // For the command line: the stages that `name` means ("ablate", "ablate@zero", "ablate@*").
  // Throws UsageError if there is none.
  std::vector<StageId> select(const std::string& name) const;

 private:
  struct Family {
    std::vector<StageId> members;
    std::unordered_map<std::string, StageId> items;
    bool is_matrix = false;
  };
  struct Parsed {
    const Family* family = nullptr;
    std::string family_name;
    StageId stage;              // none: `members`
    std::vector<StageId> some;  // of the family, that a selector names; empty: all
    std::string selection;      // "*", "seed=1,*"; empty: the stage's name alone
    std::string output;

    const std::vector<StageId>& members() const { return some.empty() ? family->members : some; }
  };

  bool is_shared_by_all(const Family& family) const;
  // Names to suggest; none once there were too many suggestions.
  template <class Named>
  std::vector<std::string> candidates(const Named& named) const;
  // Both throw Error, with what is wrong.
  Parsed parse(const std::string& text) const;
  Parsed parse(const Value& reference) const;
  // What follows the @. Throws Error as well.
  void parse_item(const std::string& rest, Parsed& parsed) const;
  // Whether it selects items by their values; throws Error if it looks so but selects none.
  bool select_items(const std::string& rest, Parsed& parsed) const;
  // The output that is meant; throws Error if there is none. Nothing if the stage's type is
  // unknown, which is reported elsewhere.
  OutputId find_output(const StageSpec& stage, const std::string& output,
                       const std::string& port) const;
  Source source_of(const Parsed& parsed, OutputId output, const SourceLocation& location);
  FanInId fan_in(const Parsed& parsed, OutputId output);

  PipelineSpec& pipeline_;
  Diagnostics& diagnostics_;
  const bool over_variations_;
  std::unordered_map<std::string, Family> families_;
  // A suggestion among thousands of names is expensive, and nobody reads more of them than this.
  mutable int suggestions_left_ = 50;
  std::map<std::pair<std::string, OutputId>, FanInId> fan_ins_;  // by FanIn::name
};

}  // namespace headway
