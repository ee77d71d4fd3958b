#include "stages/stage_progress.h"

#include <fmt/format.h>

#include <cstdio>

namespace headway {

EachBatch batch_progress(StageContext& context, std::int64_t total) {
  return [&context, total](std::int64_t done) {
    context.throw_if_cancelled();
    context.progress(static_cast<double>(done) / static_cast<double>(total),
                     fmt::format("{} of {} problems", done, total));
  };
}

TrainingWatch training_watch(StageContext& context, const std::string& state_file,
                             const std::string& name, double begins) {
  const std::string introduction = name.empty() ? "" : name + ": ";
  TrainingWatch watch;
  watch.cancelled = [&context] { return context.cancelled(); };
  watch.progress = [&context, introduction, begins](double share, const std::string& words) {
    context.progress(begins + share * (1 - begins), introduction + words);
  };
  watch.log = [introduction](const std::string& line) {
    std::printf("%s%s\n", introduction.c_str(), line.c_str());
    std::fflush(stdout);  // for whoever follows the log, and should the worker be killed
  };
  watch.state_file = context.partial() / state_file;
  return watch;
}

}  // namespace headway
