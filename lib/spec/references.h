// References between stages: `stage`, `stage.output`, `stage@item.output`, `stage@*`. Turns `in`
// and `needs` into indices. An unknown name is a mistake, with a suggestion.
#pragma once

#include <map>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "lib/spec/pipeline_spec.h"

namespace headway {

class References {
 public:
  // `over_variations`: the stages that refer are behind all variations of a merged pipeline.
  References(PipelineSpec& pipeline, Diagnostics& diagnostics, bool over_variations = false);

  // A reference, or a list of them. `subject` ("stage 'plot'") is the stage that refers, `port` its
  // input. A mistake goes to `diagnostics` and gives no source.
  std::vector<Source> resolve_input(const Value& reference, const std::string& subject,
                                    const std::string& port);
  // The same for an entry of `needs`, which names no output.
  std::vector<Source> resolve_need(const Value& reference, const std::string& subject);

  // For the command line: the stages that `name` means ("ablate", "ablate@zero", "ablate@*").
  // Throws UsageError if there is none.
  std::vector<int> select(const std::string& name) const;

 private:
  struct Family {
    std::vector<int> members;
    std::unordered_map<std::string, int> items;
    bool is_matrix = false;
  };
  struct Parsed {
    const Family* family = nullptr;
    std::string family_name;
    int stage = -1;  // one stage; -1: the whole family
    bool all = false;
    std::string output;
  };

  bool is_shared_by_all(const Family& family) const;
  bool parse(const std::string& text, Parsed& parsed, std::string& problem) const;
  int find_output(const StageSpec& stage, const std::string& output, const std::string& port,
                  std::string& problem) const;
  int fan_in(const Parsed& parsed, int output);

  PipelineSpec& pipeline_;
  Diagnostics& diagnostics_;
  const bool over_variations_;
  std::unordered_map<std::string, Family> families_;
  // A suggestion among thousands of names is expensive, and nobody reads more of them than this.
  mutable int suggestions_left_ = 50;
  std::map<std::pair<std::string, int>, int> fan_ins_;
};

}  // namespace headway
