// What the programs that are compared with PyTorch share: their options, the clock, matrix products
// and the training loop by the clock. Each prints one line of JSON, as its peer does.
#pragma once

#include <chrono>
#include <ctime>
#include <map>
#include <string>
#include <vector>

#include "lib/base/json.h"
#include "lib/numerics/thread_team.h"
#include "lib/train/training.h"

namespace headway {

// Runs from when it is made.
class Stopwatch {
 public:
  double seconds() const;
  double cpu_seconds() const;  // of all threads of this process

 private:
  std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
  std::clock_t cpu_start_ = std::clock();
};

// ---- options ----

// Numbers by name.
class Options {
 public:
  explicit Options(std::map<std::string, double> defaults) : values_(std::move(defaults)) {}

  void set(const std::string& name, double value);  // throws Error where there is no such option
  double number(const std::string& name) const { return values_.at(name); }
  std::int64_t count(const std::string& name) const {
    return static_cast<std::int64_t>(number(name));
  }
  std::size_t threads() const { return static_cast<std::size_t>(number("threads")); }

 private:
  std::map<std::string, double> values_;
};

struct Mode {
  Options options;  // as they are unless the command line says otherwise
  Json (*measure)(const Options&);
};

// The main function of a program: PROGRAM MODE [--NAME NUMBER]…
int run_mode(int argc, char** argv, const std::map<std::string, Mode>& modes);

// ---- matrix products ----

struct Product {
  std::int64_t m, n, k;
  std::int64_t times;

  double flops() const {
    return 2.0 * static_cast<double>(m) * static_cast<double>(n) * static_cast<double>(k) *
           static_cast<double>(times);
  }
};

// The products of `times` linear layers in one step of training: forward, and twice that backward.
void add_linear(std::int64_t rows, std::int64_t from, std::int64_t to, std::int64_t times,
                std::vector<Product>& products);

// ---- training ----

struct TrainingRate {
  double per_second = 0;      // samples
  double per_cpu_second = 0;  // of all that the process does
  // The share of the team's time in each part of a step, measured there; the rest is autograd,
  // memory and waiting for other threads.
  std::map<std::string, double> shares;
  double product_flops = 0;  // of matrix products that were computed, a second of all time
  double peak_flops = 0;     // of OpenBLAS' sgemm, before and after the training, by all threads
};

// Of the real loop on samples that are a multiple of the batch; its first steps are not timed.
TrainingRate training_rate(TrainingTask& task, const Parameters& parameters,
                           const TrainingOptions& options, ThreadTeam& team, double seconds);

// The rates, where the time goes, and how fast matrix products are: those that are computed by the
// time measured for them and, as a fraction of what this machine can do at best, by the whole time
// (peak_fraction). `products` are those of one shard in a plain step: ours computes rows that
// repeat once, so as a plain step it would reach more (plain_fraction).
Json training_report(const TrainingRate& rate, const TrainingOptions& options,
                     const Parameters& parameters, const std::vector<Product>& products,
                     ThreadTeam& team);

}  // namespace headway
