#include "lib/report/outputs_index.h"

#include <fmt/format.h>

#include <algorithm>

#include "lib/base/error.h"
#include "lib/base/json.h"
#include "lib/numerics/table.h"
#include "lib/report/index_page.h"
#include "lib/report/phrases.h"
#include "lib/store/store.h"

namespace headway {
namespace {

constexpr std::size_t kMostMetrics = 3;

// Metrics to show, most important first.
constexpr const char* kHeadlines[] = {"greedy", "accuracy", "loss"};

class IndexMaker {
 public:
  IndexMaker(FileSystem& files, const Path& outputs)
      : files_(files), layout_(outputs), store_(files, outputs) {}

  IndexEntry entry_of(const KnownPipeline& known, bool is_sweep) {
    const PipelineState state(files_, layout_, known.name, known.variant);
    IndexEntry entry;
    entry.pipeline = known.name;
    entry.variant = known.variant;
    entry.is_sweep = is_sweep;
    entry.file = file_below(state.file());
    const Path folder =
        layout_.results(known.name, known.variant).lexically_relative(layout_.outputs());
    const std::map<std::string, LastState> stages = state.all();
    for (const auto& [stage, last] : stages) {
      entry.failed += last->status == StageStatus::kFailed;
      entry.unfinished +=
          last->status == StageStatus::kCancelled || last->status == StageStatus::kRunning;
      if (last->good_key.empty()) continue;
      ++entry.stages;
      entry.seconds += last->seconds;
      entry.finished = std::max(entry.finished, last->finished);
      for (const RecordedOutput& output : last->outputs) add_output(stage, output, folder, entry);
    }
    if (!entry.is_sweep) add_metrics(stages, entry);
    return entry;
  }

 private:
  // The path relative to the folder that contains outputs/; "" if the file is gone.
  std::string file_below(const std::string& file) {
    if (!files_.exists(file)) return "";
    const Path relative = Path(file).lexically_relative(layout_.outputs().parent_path());
    return relative.empty() || *relative.begin() == ".." ? file : relative.string();
  }

  void add_output(const std::string& stage, const RecordedOutput& output, const Path& folder,
                  IndexEntry& entry) {
    const std::string link = (folder / stage / output.file).generic_string();
    if (output.name == "page" && output.file == "index.html" &&
        files_.exists(layout_.outputs() / link))
      entry.reports.push_back(link);
    if (output.file.ends_with(".svg") && files_.exists(layout_.outputs() / link))
      entry.figures.push_back(link);
  }

  // Stages that begin with "eval" come first: others repeat their metrics or lead to them.
  void add_metrics(const std::map<std::string, LastState>& stages, IndexEntry& entry) {
    for (const bool evaluates : {true, false}) {
      for (const auto& [stage, last] : stages) {
        if (stage.starts_with("eval") != evaluates) continue;
        for (const RecordedOutput& output : last->outputs) {
          if (entry.metrics.size() >= kMostMetrics) return;
          if (output.name == "metrics") add_metric(stage, output, entry);
        }
      }
    }
  }

  void add_metric(const std::string& stage, const RecordedOutput& output, IndexEntry& entry) {
    const std::optional<Json> metrics =
        parse_json(files_.read(store_.path_of(output.object)).value_or(""));
    if (!metrics || !metrics->is_object()) return;
    for (const char* name : kHeadlines) {
      const auto found = metrics->find(name);
      if (found == metrics->end() || !found->is_number()) continue;
      const double value = found->get<double>();
      const bool is_share = name != std::string_view("loss") && value >= 0 && value <= 1;
      entry.metrics.emplace_back(stage + "." + name,
                                 is_share ? percent_text(value) : number_text(value));
      return;
    }
  }

  FileSystem& files_;
  const Layout layout_;
  Store store_;
};

}  // namespace

Path write_outputs_index(FileSystem& files, const Path& outputs,
                         const std::function<bool(const KnownPipeline&)>& is_sweep) {
  IndexMaker maker(files, outputs);
  std::vector<IndexEntry> entries;
  for (const KnownPipeline& known : known_pipelines(files, Layout(outputs)))
    entries.push_back(maker.entry_of(known, is_sweep(known)));
  const Path path = outputs / "index.html";
  files.replace(path, index_page(entries));
  return path;
}

}  // namespace headway
