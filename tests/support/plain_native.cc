#include <fmt/format.h>
#include <unistd.h>

#include <chrono>
#include <cstdio>
#include <thread>

#include "lib/base/json.h"
#include "tests/support/misbehave.h"
#include "tests/support/plain.h"

namespace headway::testing {
namespace {

struct State {
  std::int64_t step = 0;
  std::uint64_t sum = 0;
};

State load(const Path& file) {
  const auto text = RealFileSystem().read(file);
  const auto json = text ? parse_json(*text) : std::nullopt;
  if (!json) return {};
  return {json->at("step"), json->at("sum")};
}

void save(const Path& file, const State& state) {
  RealFileSystem().replace(file, to_line({{"step", state.step}, {"sum", state.sum}}));
}

}  // namespace

void run_plain(StageContext& context) {
  const Json& params = context.params();
  const auto steps = params.value<std::int64_t>("steps", 10);
  const std::chrono::duration<double, std::milli> slowness(params.value("slow_ms", 0.0));
  const Path state_file = context.partial() / "state.json";
  State state = load(state_file);
  std::printf("pid %d, from step %d\n", ::getpid(), static_cast<int>(state.step));
  for (; state.step < steps; ++state.step) {
    if (context.cancelled()) {
      save(state_file, state);
      throw Cancelled();
    }
    if (state.step == steps / 2) misbehave(params.value("misbehave", "none"), context);
    if (slowness.count() > 0) std::this_thread::sleep_for(slowness);
    state.sum = state.sum * 6364136223846793005u + static_cast<std::uint64_t>(state.step);
    context.progress(static_cast<double>(state.step + 1) / static_cast<double>(steps),
                     fmt::format("step {} of {}", state.step + 1, steps));
  }
  RealFileSystem().write(context.output("sum"), std::to_string(state.sum), Durability::kCached);
}

}  // namespace headway::testing
