#include "bench/measure.h"

#include "lib/numerics/part_clock.h"

#include <ATen/ops/mm.h>
#include <ATen/ops/ones.h>
#include <fmt/format.h>

#include <cstdio>

#include "lib/base/error.h"
#include "stages/torch_setup.h"

namespace headway {
namespace {

double flops_of(const std::vector<Product>& products) {
  double sum = 0;
  for (const Product& product : products) sum += product.flops();
  return sum;
}

// Floating-point operations per second on `team`, each thread doing all the products for a while.
double product_rate(const std::vector<Product>& products, ThreadTeam& team, double seconds) {
  std::vector<double> rates(team.size());
  team.run(team.size(), [&](std::size_t thread) {
    std::vector<std::pair<at::Tensor, at::Tensor>> operands;
    for (const Product& product : products) {
      operands.emplace_back(at::ones({product.m, product.k}), at::ones({product.k, product.n}));
    }
    int rounds = 0;
    const Stopwatch watch;
    while (watch.seconds() < seconds) {
      for (std::size_t i = 0; i < products.size(); ++i) {
        for (std::int64_t time = 0; time < products[i].times; ++time) {
          at::mm(operands[i].first, operands[i].second);
        }
      }
      ++rounds;
    }
    rates[thread] = flops_of(products) * rounds / watch.seconds();
  });
  double sum = 0;
  for (const double rate : rates) sum += rate;
  return sum;
}

double peak_rate(ThreadTeam& team) {
  return product_rate({{1024, 1024, 1024, 1}}, team, 1);
}

}  // namespace

double Stopwatch::seconds() const {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start_).count();
}

double Stopwatch::cpu_seconds() const {
  return static_cast<double>(std::clock() - cpu_start_) / CLOCKS_PER_SEC;
}

void Options::set(const std::string& name, double value) {
  const auto found = values_.find(name);
  if (found == values_.end()) throw Error(fmt::format("there is no option --{}", name));
  found->second = value;
}

int run_mode(int argc, char** argv, const std::map<std::string, Mode>& modes) {
  const auto mode = argc > 1 ? modes.find(argv[1]) : modes.end();
  if (mode == modes.end() || argc % 2 != 0) {
    std::string names;
    for (const auto& [name, unused] : modes) names += (names.empty() ? "" : "|") + name;
    fmt::print(stderr, "usage: {} {} [--threads N] …\n", argv[0], names);
    return 2;
  }
  try {
    Options options = mode->second.options;
    for (int i = 2; i < argc; i += 2) {
      const std::string name = argv[i];
      if (!name.starts_with("--")) throw Error(fmt::format("'{}' is no option", name));
      options.set(name.substr(2), std::stod(argv[i + 1]));
    }
    use_one_thread();
    keep_freed_memory();
    fmt::print("{}\n", mode->second.measure(options).dump());
  } catch (const std::exception& error) {
    fmt::print(stderr, "{}: {}\n", argv[0], error.what());
    return 1;
  }
  return 0;
}

void add_linear(std::int64_t rows, std::int64_t from, std::int64_t to, std::int64_t times,
                std::vector<Product>& products) {
  products.push_back({rows, to, from, times});
  products.push_back({rows, from, to, times});
  products.push_back({to, from, rows, times});
}

TrainingRate training_rate(TrainingTask& task, const Parameters& parameters,
                           const TrainingOptions& options, ThreadTeam& team, double seconds) {
  constexpr std::int64_t kWarm = 10;  // steps before the clock starts
  const double peak_before = peak_rate(team);
  std::int64_t steps = 0;
  Stopwatch stopwatch;
  TrainingWatch watch;
  watch.progress = [&](double, const std::string&) {
    if (++steps != kWarm) return;
    stopwatch = Stopwatch();
    PartClock::turn_on();
  };
  watch.cancelled = [&] { return steps > kWarm && stopwatch.seconds() > seconds; };
  try {
    train(task, parameters, options, team, watch);
  } catch (const Cancelled&) {  // as asked
  }
  PartClock::turn_off();
  const double seconds_taken = stopwatch.seconds(), cpu_seconds = stopwatch.cpu_seconds();
  const double samples = static_cast<double>((steps - kWarm) * options.batch);
  TrainingRate rate{samples / seconds_taken, samples / cpu_seconds, {}, 0, 0};
  rate.product_flops = 2 * static_cast<double>(PartClock::multiplications()) / seconds_taken;
  rate.peak_flops = (peak_before + peak_rate(team)) / 2;
  double rest = 1;
  for (std::size_t i = 0; i < kParts; ++i) {
    const double share = PartClock::seconds(static_cast<Part>(i)) /
                         (seconds_taken * static_cast<double>(team.size()));
    rate.shares[std::string(kNamesOf<Part>[i])] = share;
    rest -= share;
  }
  rate.shares["other"] = rest;
  return rate;
}

Json training_report(const TrainingRate& rate, const TrainingOptions& options,
                     const Parameters& parameters, const std::vector<Product>& products,
                     ThreadTeam& team) {
  const double per_sample =
      flops_of(products) * static_cast<double>(options.shards) / static_cast<double>(options.batch);
  return {{"samples_per_second", rate.per_second},
          {"samples_per_cpu_second", rate.per_cpu_second},
          {"threads", team.size()},
          {"shards", options.shards},
          {"parameters", parameters.count()},
          {"mflop_per_sample", per_sample * 1e-6},
          {"shares", rate.shares},
          {"product_gflops", rate.product_flops / rate.shares.at("products") * 1e-9},
          {"peak_gflops", rate.peak_flops * 1e-9},
          {"peak_fraction", rate.product_flops / rate.peak_flops},
          {"plain_fraction", rate.per_second * per_sample / rate.peak_flops}};
}

}  // namespace headway
