// Headway's side of the addition benchmark: how fast the study's model trains and is ablated here.
// Prints one JSON line, as the peer does. Training runs the real loop on real data.
//
//   bench_addition train [--shards 2] [--threads 2] [--seconds 10]
//   bench_addition ablation [--threads 2] [--problems 2000]
//   bench_addition gemm [--threads 2]
#include <ATen/ops/mm.h>
#include <ATen/ops/ones.h>
#include <fmt/format.h>

#include <chrono>
#include <cstdio>
#include <cstring>
#include <map>

#include "lib/analysis/ablation.h"
#include "lib/base/error.h"
#include "lib/base/json.h"
#include "lib/data/addition.h"
#include "lib/nn/seq2seq.h"
#include "lib/train/seq2seq_task.h"
#include "lib/train/training.h"
#include "stages/torch_setup.h"

namespace headway {
namespace {

using Clock = std::chrono::steady_clock;

double seconds_since(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

struct Options {
  std::size_t shards = 2;
  std::size_t threads = 2;
  double seconds = 10;
  std::int64_t problems = 2000;
};

struct Product {
  std::int64_t m, n, k;
  int times;

  double flops() const {
    return 2.0 * static_cast<double>(m) * static_cast<double>(n) * static_cast<double>(k) * times;
  }
};

// Every matrix product of one training step on `samples` problems: forward, and twice that
// backward.
std::vector<Product> products_of_step(const Seq2SeqConfig& config, std::int64_t samples) {
  const std::int64_t d = config.d_model, in = samples * 7, out = samples * 4;
  const int layers = static_cast<int>(config.n_layers);
  const auto linear = [&](std::int64_t rows, std::int64_t from, std::int64_t to) {
    return std::vector<Product>{
        {rows, to, from, layers}, {rows, from, to, layers}, {to, from, rows, layers}};
  };
  std::vector<Product> all;
  for (const auto& part : {linear(in, d, 3 * d), linear(in, d, d), linear(in, d, config.d_ff),
                           linear(in, config.d_ff, d), linear(out, d, 3 * d), linear(out, d, d),
                           linear(out, d, d), linear(in, d, 2 * d), linear(out, d, d),
                           linear(out, d, config.d_ff), linear(out, config.d_ff, d)}) {
    all.insert(all.end(), part.begin(), part.end());
  }
  return all;
}

// Floating-point operations per second on `team`, each thread doing all the products for a while.
double measure_products(const std::vector<Product>& products, ThreadTeam& team, double seconds) {
  std::vector<double> rates(team.size());
  team.run(team.size(), [&](std::size_t thread) {
    std::vector<std::pair<at::Tensor, at::Tensor>> operands;
    double flops = 0;
    for (const Product& product : products) {
      operands.emplace_back(at::ones({product.m, product.k}), at::ones({product.k, product.n}));
      flops += product.flops();
    }
    int rounds = 0;
    const Clock::time_point start = Clock::now();
    while (seconds_since(start) < seconds) {
      for (std::size_t i = 0; i < products.size(); ++i) {
        for (int time = 0; time < products[i].times; ++time) {
          at::mm(operands[i].first, operands[i].second);
        }
      }
      ++rounds;
    }
    rates[thread] = flops * rounds / seconds_since(start);
  });
  double sum = 0;
  for (const double rate : rates) sum += rate;
  return sum;
}

double peak_flops(ThreadTeam& team) {
  return measure_products({{1024, 1024, 1024, 1}}, team, 1);
}

Json bench_gemm(const Options& options) {
  ThreadTeam team(options.threads);
  return {{"peak_gflops", peak_flops(team) * 1e-9}, {"threads", options.threads}};
}

Json bench_train(const Options& options) {
  const Seq2SeqData data = generate_addition({});
  const Seq2SeqConfig config;
  Seq2SeqTask task(config, data);
  Parameters parameters(parameter_shapes(config));
  parameters.draw(641);
  ThreadTeam team(options.threads);
  TrainingOptions training;
  training.shards = static_cast<std::int64_t>(options.shards);
  training.dropout.attention = training.dropout.layers;  // as the peer has it
  std::int64_t steps = 0;
  Clock::time_point start;
  TrainingWatch watch;
  constexpr std::int64_t kWarm = 10;  // steps before the clock starts
  watch.progress = [&](double, const std::string&) {
    if (++steps == kWarm) start = Clock::now();
  };
  watch.cancelled = [&] { return steps > kWarm && seconds_since(start) > options.seconds; };
  try {
    train(task, parameters, training, team, watch);
  } catch (const Cancelled&) {  // as asked
  }
  const double rate = static_cast<double>((steps - kWarm) * training.batch) / seconds_since(start);
  const auto products =
      products_of_step(config, training.batch / static_cast<std::int64_t>(options.shards));
  double flops = 0;  // of one shard's step
  for (const Product& product : products) flops += product.flops();
  const double per_sample =
      flops * static_cast<double>(options.shards) / static_cast<double>(training.batch);
  const double products_alone = measure_products(products, team, 1);
  return {{"samples_per_second", rate},
          {"threads", options.threads},
          {"shards", options.shards},
          {"parameters", parameters.count()},
          {"mflop_per_sample", per_sample * 1e-6},
          {"gemm_gflops", products_alone * 1e-9},
          {"gemm_share", rate * per_sample / products_alone},
          {"peak_fraction", rate * per_sample / peak_flops(team)}};
}

// The ablation of every head, over test problems that are as many as the peer's. The weights do not
// matter to the time it takes.
Json bench_ablation(const Options& options) {
  AdditionSizes sizes;
  sizes.test = options.problems;
  const Seq2SeqData data = generate_addition(sizes);
  const Seq2SeqConfig config;
  Parameters parameters(parameter_shapes(config));
  parameters.draw(641);
  const Seq2Seq model(config, parameters.views(false));
  ThreadTeam team(options.threads);
  const Clock::time_point start = Clock::now();
  const Ablation ablation = ablate_heads(model, data.test, {}, team);
  return {{"seconds", seconds_since(start)},
          {"threads", options.threads},
          {"problems", ablation.problems},
          {"evaluations", ablation.effects.size() + 1},
          {"parameters", parameters.count()}};
}

Options parse(int argc, char** argv) {
  Options options;
  for (int i = 2; i + 1 < argc; i += 2) {
    const std::string name = argv[i];
    const double value = std::stod(argv[i + 1]);
    if (name == "--shards")
      options.shards = static_cast<std::size_t>(value);
    else if (name == "--threads")
      options.threads = static_cast<std::size_t>(value);
    else if (name == "--seconds")
      options.seconds = value;
    else if (name == "--problems")
      options.problems = static_cast<std::int64_t>(value);
    else
      throw Error("unknown option " + name);
  }
  return options;
}

}  // namespace
}  // namespace headway

int main(int argc, char** argv) {
  using namespace headway;
  use_one_thread();
  keep_freed_memory();
  const std::map<std::string, Json (*)(const Options&)> modes = {
      {"train", bench_train}, {"ablation", bench_ablation}, {"gemm", bench_gemm}};
  const auto mode = argc > 1 ? modes.find(argv[1]) : modes.end();
  if (mode == modes.end()) {
    std::fprintf(stderr, "usage: bench_addition train|ablation|gemm [--threads N] …\n");
    return 2;
  }
  std::printf("%s\n", mode->second(parse(argc, argv)).dump().c_str());
  return 0;
}
