#include <ATen/CPUGeneratorImpl.h>
#include <ATen/TensorOperators.h>
#include <ATen/core/Tensor.h>
#include <ATen/ops/empty.h>
#include <ATen/ops/randn.h>
#include <c10/core/GradMode.h>
#include <fmt/format.h>
#include <unistd.h>

#include <chrono>
#include <cstdio>
#include <thread>

#include "lib/base/json.h"
#include "tests/support/fit_line.h"
#include "tests/support/misbehave.h"

namespace headway::testing {
namespace {

constexpr std::int64_t kSaveEvery = 50;  // steps

struct Points {
  at::Tensor x;  // [N]
  at::Tensor y;  // [N]
};

struct Line {
  at::Tensor a;  // []
  at::Tensor b;  // []
  std::int64_t step = 0;
};

Points draw_points(const FitLineParams& params, at::Generator& generator) {
  const at::Tensor x = at::randn({params.samples}, generator);
  const at::Tensor noise = at::randn({params.samples}, generator) * params.noise;
  return {x, x * kTrueSlope + kTrueIntercept + noise};
}

Line draw_line(at::Generator& generator) {
  return {at::randn({}, generator), at::randn({}, generator)};
}

at::Tensor loss_of(const Line& line, const Points& points) {
  return (line.a * points.x + line.b - points.y).square().mean();
}

void save(const Path& file, const Line& line) {
  const Json json = {{"step", line.step}, {"a", line.a.item<float>()}, {"b", line.b.item<float>()}};
  RealFileSystem().replace(file, to_line(json));
}

// Where a run of the same parameters was interrupted; the first guess where none was.
void load(const Path& file, Line& line) {
  const auto text = RealFileSystem().read(file);
  const auto json = text ? parse_json(*text) : std::nullopt;
  if (!json) return;
  line.a.fill_(json->at("a").get<float>());
  line.b.fill_(json->at("b").get<float>());
  line.step = json->at("step");
}

double take_step(Line& line, const Points& points, double lr) {
  for (at::Tensor* parameter : {&line.a, &line.b}) {
    parameter->set_requires_grad(true);
    parameter->mutable_grad().reset();
  }
  const at::Tensor loss = loss_of(line, points);
  loss.backward();
  const c10::AutoGradMode without_grad(false);
  line.a.sub_(line.a.grad(), lr);
  line.b.sub_(line.b.grad(), lr);
  ++line.step;
  return loss.item<double>();
}

void go_wrong(const FitLineParams& params, StageContext& context) {
  // Four petabytes: more than there are addresses, so refused however generous the kernel is.
  if (params.misbehave == "huge-tensor") at::empty({1LL << 50});
  misbehave(params.misbehave, context);
}

void train(Line& line, const Points& points, const FitLineParams& params, StageContext& context) {
  const Path state_file = context.partial() / "state.json";
  load(state_file, line);
  std::printf("pid %d, from step %d\n", ::getpid(), static_cast<int>(line.step));
  while (line.step < params.steps) {
    if (context.cancelled() || line.step % kSaveEvery == 0) save(state_file, line);
    context.throw_if_cancelled();
    if (line.step == params.steps / 2) go_wrong(params, context);
    std::this_thread::sleep_for(std::chrono::duration<double, std::milli>(params.slow_ms));
    const double loss = take_step(line, points, params.lr);
    context.progress(static_cast<double>(line.step) / static_cast<double>(params.steps),
                     fmt::format("step {} of {}, loss {:.4f}", line.step, params.steps, loss));
  }
}

}  // namespace

void run_fit_line(StageContext& context) {
  const FitLineParams params = fit_line_schema().read(context.params());
  at::Generator generator = at::detail::createCPUGenerator(static_cast<std::uint64_t>(params.seed));
  const Points points = draw_points(params, generator);
  Line line = draw_line(generator);
  train(line, points, params, context);
  const Json model = {{"a", line.a.item<double>()}, {"b", line.b.item<double>()}};
  const Json metrics = {{"loss", loss_of(line, points).item<double>()}};
  RealFileSystem files;
  files.write(context.output("model"), model.dump(1) + "\n", Durability::kCached);
  files.write(context.output("metrics"), metrics.dump(1) + "\n", Durability::kCached);
}

}  // namespace headway::testing
