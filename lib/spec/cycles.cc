#include "lib/spec/cycles.h"

#include <fmt/format.h>

#include <algorithm>

#include "lib/base/text.h"

namespace headway {
namespace {

// Stages are nodes 0..n-1, fan-ins follow: the graph of who waits for whom, in linear space.
class Walk {
 public:
  Walk(const PipelineSpec& pipeline, Diagnostics& diagnostics)
      : pipeline_(pipeline),
        diagnostics_(diagnostics),
        stages_(pipeline.stages.size()),
        colours_(stages_ + pipeline.fan_ins.size(), Colour::kWhite) {}

  void find() {
    for (std::size_t node = 0; node < stages_; ++node) {
      if (colours_[node] == Colour::kWhite) visit(node);
    }
  }

 private:
  enum class Colour : char { kWhite, kOnPath, kDone };
  struct Step {
    std::size_t node;
    std::vector<std::size_t> waits_for;
    std::size_t next = 0;
  };

  std::vector<std::size_t> waits_for(std::size_t node) const {
    std::vector<std::size_t> nodes;
    if (node >= stages_) {
      for (const int member : pipeline_.fan_ins[node - stages_].members)
        nodes.push_back(static_cast<std::size_t>(member));
      return nodes;
    }
    const auto add = [&](const Source& source) {
      nodes.push_back(source.fan_in >= 0 ? stages_ + static_cast<std::size_t>(source.fan_in)
                                         : static_cast<std::size_t>(source.stage));
    };
    for (const InputSpec& input : pipeline_.stages[node].inputs)
      std::for_each(input.sources.begin(), input.sources.end(), add);
    std::for_each(pipeline_.stages[node].needs.begin(), pipeline_.stages[node].needs.end(), add);
    return nodes;
  }

  // Depth first with a stack of its own: a chain of 20,000 stages must not overflow ours.
  void visit(std::size_t start) {
    std::vector<Step> path{{start, waits_for(start)}};
    colours_[start] = Colour::kOnPath;
    while (!path.empty()) {
      Step& step = path.back();
      if (step.next == step.waits_for.size()) {
        colours_[step.node] = Colour::kDone;
        path.pop_back();
        continue;
      }
      const std::size_t next = step.waits_for[step.next++];
      if (colours_[next] == Colour::kOnPath) report(path, next);
      if (colours_[next] != Colour::kWhite) continue;
      colours_[next] = Colour::kOnPath;
      path.push_back({next, waits_for(next)});
    }
  }

  void report(const std::vector<Step>& path, std::size_t closing) {
    if (++reported_ > kMostCircles) return;
    const auto first = std::find_if(path.begin(), path.end(),
                                    [&](const Step& step) { return step.node == closing; });
    std::vector<std::string> names;
    SourceLocation location;
    for (auto step = first; step != path.end(); ++step) {
      names.push_back(name(step->node));
      if (!location.source && step->node < stages_)
        location = pipeline_.stages[step->node].location;
    }
    names.push_back(name(closing));
    if (names.size() > static_cast<std::size_t>(kLongestPath)) {  // both ends tell enough
      names.erase(names.begin() + kLongestPath / 2, names.end() - kLongestPath / 2);
      names.insert(names.begin() + kLongestPath / 2, "…");
    }
    diagnostics_.add(
        location, fmt::format("stages wait for each other in a circle: {}", join(names, " -> ")));
  }

  std::string name(std::size_t node) const {
    return node < stages_ ? pipeline_.stages[node].name
                          : pipeline_.fan_ins[node - stages_].family + "@*";
  }

  const PipelineSpec& pipeline_;
  Diagnostics& diagnostics_;
  static constexpr int kMostCircles = 20;
  static constexpr std::ptrdiff_t kLongestPath = 20;

  const std::size_t stages_;
  std::vector<Colour> colours_;
  int reported_ = 0;
};

}  // namespace

void find_cycles(const PipelineSpec& pipeline, Diagnostics& diagnostics) {
  Walk(pipeline, diagnostics).find();
}

}  // namespace headway
