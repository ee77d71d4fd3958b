#include "lib/cli/outputs_index.h"

#include <algorithm>

#include "lib/base/json.h"
#include "lib/base/table.h"
#include "lib/report/index_page.h"
#include "lib/run/sweep_memory.h"
#include "lib/store/pipeline_state.h"
#include "lib/store/store.h"

namespace headway {
namespace {

constexpr std::size_t kMostMetrics = 3;

// What people look at first, in that order.
constexpr const char* kHeadlines[] = {"greedy", "accuracy", "loss"};

class IndexMaker {
 public:
  IndexMaker(FileSystem& files, const Path& outputs)
      : files_(files), layout_(outputs), store_(files, outputs) {}

  IndexEntry entry_of(const KnownPipeline& known) {
    const PipelineState state(files_, layout_, known.name, known.variant);
    IndexEntry entry;
    entry.pipeline = known.name;
    entry.variant = known.variant;
    entry.is_sweep = recall_sweep(files_, layout_, known.name, known.variant).has_value();
    entry.file = state.file();
    const Path folder =
        layout_.results(known.name, known.variant).lexically_relative(layout_.outputs());
    for (const auto& [stage, last] : state.all()) {
      entry.failed += last->status == StageStatus::kFailed;
      entry.unfinished +=
          last->status == StageStatus::kCancelled || last->status == StageStatus::kRunning;
      if (last->good_key.empty()) continue;
      ++entry.stages;
      entry.seconds += last->seconds;
      entry.finished = std::max(entry.finished, last->finished);
      for (const RecordedOutput& output : last->outputs) add_output(stage, output, folder, entry);
    }
    return entry;
  }

 private:
  void add_output(const std::string& stage, const RecordedOutput& output, const Path& folder,
                  IndexEntry& entry) {
    const std::string link = (folder / stage / output.file).generic_string();
    if (output.name == "page" && output.file == "index.html" &&
        files_.exists(layout_.outputs() / link))
      entry.reports.push_back(link);
    if (output.name == "metrics" && entry.metrics.size() < kMostMetrics && !entry.is_sweep)
      add_metric(stage, output, entry);
  }

  void add_metric(const std::string& stage, const RecordedOutput& output, IndexEntry& entry) {
    const std::optional<Json> metrics =
        parse_json(files_.read(store_.path_of(output.object)).value_or(""));
    if (!metrics || !metrics->is_object()) return;
    for (const char* name : kHeadlines) {
      const auto found = metrics->find(name);
      if (found == metrics->end() || !found->is_number()) continue;
      entry.metrics.emplace_back(stage + "." + name, number_text(found->get<double>()));
      return;
    }
  }

  FileSystem& files_;
  const Layout layout_;
  Store store_;
};

}  // namespace

Path write_outputs_index(FileSystem& files, const Path& outputs) {
  IndexMaker maker(files, outputs);
  std::vector<IndexEntry> entries;
  for (const KnownPipeline& known : known_pipelines(files, Layout(outputs)))
    entries.push_back(maker.entry_of(known));
  const Path path = outputs / "index.html";
  files.replace(path, index_page(entries));
  return path;
}

}  // namespace headway
