#include "lib/train/training.h"

#include <ATen/ops/zeros_like.h>
#include <fmt/format.h>

#include <chrono>
#include <cmath>
#include <numeric>

#include "lib/base/error.h"
#include "lib/base/text.h"
#include "lib/numerics/event_file.h"
#include "lib/train/optimiser.h"
#include "lib/train/training_state.h"

namespace headway {
namespace {

using Clock = std::chrono::steady_clock;

double seconds_since(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

const std::vector<std::string> kTimingColumns = {"epoch", "seconds", "samples_per_second"};

enum Purpose : std::uint64_t { kOrder = 1, kDropout = 2 };

class Training {
 public:
  Training(TrainingTask& task, const Parameters& parameters, const TrainingOptions& options,
           ThreadTeam& team, const TrainingWatch& watch)
      : task_(task),
        parameters_(parameters.copy()),
        best_(parameters_.copy()),
        options_(options),
        team_(team),
        watch_(watch),
        packed_(parameters_),
        optimiser_(parameters_, options, packed_),
        steps_per_epoch_((task.size() + options.batch - 1) / options.batch),
        identity_(identity_of(parameters, options, task.size())) {
    const std::int64_t schedule =
        options.schedule_epochs > 0 ? options.schedule_epochs : options.epochs;
    schedule_ = {options.lr, options.warmup, schedule * steps_per_epoch_};
    for (std::int64_t shard = 0; shard < options.shards; ++shard) {
      replicas_.push_back(packed_.replica());
      losses_.push_back(task.loss_with(replicas_.back()));
    }
  }

  TrainingResult run() {
    resume();
    begin_events();
    while (state_.epoch < options_.epochs && !out_of_patience()) train_epoch();
    return result();
  }

 private:
  TrainingBuffers buffers() const {
    return {{"parameters", parameters_.flat()},
            {"best", best_.flat()},
            {"mean", optimiser_.mean()},
            {"square", optimiser_.square()}};
  }

  void resume() {
    if (watch_.state_file.empty()) return;
    try {
      const auto found = read_state(watch_.state_file, buffers(), identity_, options_.epochs);
      if (!found) return;
      state_ = *found;
    } catch (const Error& error) {
      // Damaged by a power cut, for example. This costs time but does not change the result.
      watch_.log(
          fmt::format("the saved state cannot be used, starting from nothing: {}", error.what()));
      RealFileSystem().remove(watch_.state_file);  // the next state replaces it
      return;
    }
    optimiser_.set_steps(state_.optimiser_steps);
    packed_.refresh_all();
    watch_.log(fmt::format("continues in epoch {}, after {} of its {} steps", state_.epoch + 1,
                           state_.step, steps_per_epoch_));
  }

  // Synced: a state that is safe on disk must not be replaced by one that is not.
  void save() {
    last_save_ = Clock::now();
    if (watch_.state_file.empty()) return;
    state_.optimiser_steps = optimiser_.steps();
    RealFileSystem().replace(watch_.state_file, to_bytes(state_, buffers(), identity_),
                             Durability::kSynced);
  }

  static double now() { return static_cast<double>(RealFileSystem().now_ns()) * 1e-9; }

  // Also writes the epochs that were done before, from the saved log: however often a training was
  // stopped, its file has each epoch once.
  void begin_events() const {
    if (watch_.event_file.empty()) return;
    std::string bytes = event_file_begin(state_.ended.empty() ? now() : state_.ended.front());
    for (std::size_t epoch = 0; epoch < state_.log.size(); ++epoch) bytes += epoch_event(epoch);
    RealFileSystem().write(watch_.event_file, bytes, Durability::kCached);
  }

  std::string epoch_event(std::size_t epoch) const {
    std::vector<std::pair<std::string, double>> scalars;
    const auto add = [&](const std::vector<std::string>& columns, const std::vector<double>& row) {
      for (std::size_t i = 1; i < columns.size(); ++i) scalars.emplace_back(columns[i], row[i]);
    };
    add(log_columns(), state_.log[epoch]);
    add(kTimingColumns, state_.timing[epoch]);
    return scalar_event(state_.ended[epoch], static_cast<std::int64_t>(state_.log[epoch][0]),
                        scalars);
  }

  std::vector<std::string> log_columns() const {
    std::vector<std::string> columns = {"epoch", "train_loss"};
    for (const auto& metric : state_.best_validation.metrics) columns.push_back(metric.first);
    columns.emplace_back("learning_rate");
    return columns;
  }

  bool out_of_patience() const {
    return options_.patience > 0 && state_.best_epoch >= 0 &&
           state_.epoch - 1 - state_.best_epoch >= options_.patience;
  }

  void train_epoch() {
    const RandomStream random(options_.seed, {kOrder, static_cast<std::uint64_t>(state_.epoch)});
    const std::vector<std::int64_t> order = task_.begin_epoch(state_.epoch, options_.batch, random);
    const double seconds_before = state_.seconds;
    const Clock::time_point start = Clock::now();
    while (state_.step < steps_per_epoch_) {
      if (watch_.cancelled()) {
        save();
        throw Cancelled();
      }
      const auto first = static_cast<std::size_t>(state_.step * options_.batch);
      const std::size_t count =
          std::min(static_cast<std::size_t>(options_.batch), order.size() - first);
      train_step(std::span(order).subspan(first, count));
      ++state_.step;
      state_.seconds = seconds_before + seconds_since(start);
      report_progress();
      if (seconds_since(last_save_) >= watch_.save_every) save();
    }
    end_epoch();
  }

  [[noreturn]] static void fail_diverged(const std::string& when) {
    throw Error(
        "the loss or its gradient is no number any more {}: a smaller learning rate ('lr') or a "
        "gradient clip ('clip') may help",
        when);
  }

  void train_step(std::span<const std::int64_t> samples) {
    const std::int64_t terms = task_.loss_terms(samples);
    const double scale = 1 / static_cast<double>(std::max<std::int64_t>(1, terms));
    const std::size_t shards = losses_.size();
    std::vector<double> losses(shards);
    team_.run(shards, [&](std::size_t shard) {
      const std::size_t first = samples.size() * shard / shards;
      const std::size_t last = samples.size() * (shard + 1) / shards;
      if (first == last) return;
      DropoutStream dropout(
          options_.dropout,
          RandomStream(options_.seed,
                       {kDropout, static_cast<std::uint64_t>(optimiser_.steps()), shard}));
      const at::Tensor loss =
          losses_[shard](samples.subspan(first, last - first), scale, dropout);  // []
      loss.backward();
      losses[shard] = loss.item<double>();
    });
    const double loss = std::accumulate(losses.begin(), losses.end(), 0.0);
    if (!std::isfinite(loss))
      fail_diverged(fmt::format("in epoch {}, step {}", state_.epoch + 1, state_.step + 1));
    const double slope = optimiser_.step(replicas_, schedule_.rate(optimiser_.steps()), team_);
    if (!std::isfinite(slope))
      fail_diverged(fmt::format("in epoch {}, step {}", state_.epoch + 1, state_.step + 1));
    state_.loss_sum += loss * static_cast<double>(terms);
    state_.loss_terms += terms;
  }

  double epoch_loss() const {
    return state_.loss_sum / static_cast<double>(std::max<std::int64_t>(1, state_.loss_terms));
  }

  void end_epoch() {
    const Validation validation = task_.validate(parameters_, team_);
    // The last step may have broken the weights, which no later step would notice.
    if (!std::isfinite(validation.loss))
      fail_diverged(fmt::format("after epoch {}", state_.epoch + 1));
    const Validation& best = state_.best_validation;
    const bool better = state_.best_epoch < 0 || validation.objective > best.objective ||
                        (validation.objective == best.objective && validation.loss < best.loss);
    std::vector<double> row = {static_cast<double>(state_.epoch + 1), epoch_loss()};
    std::string line = fmt::format("epoch {}: train_loss {:.5f}", state_.epoch + 1, epoch_loss());
    for (const auto& [name, value] : validation.metrics) {
      row.push_back(value);
      line += fmt::format(", {} {:.5f}", name, value);
    }
    const double rate = schedule_.rate((state_.epoch + 1) * steps_per_epoch_ - 1);
    row.push_back(rate);
    const double speed = static_cast<double>(task_.size()) / state_.seconds;
    watch_.log(fmt::format("{}, learning_rate {:.2e}, {:.1f} s, {:.0f} samples/s{}", line, rate,
                           state_.seconds, speed, better ? ", best so far" : ""));
    state_.log.push_back(std::move(row));
    state_.timing.push_back({static_cast<double>(state_.epoch + 1), state_.seconds, speed});
    state_.ended.push_back(now());
    if (better) {
      best_.flat().copy_(parameters_.flat());
      state_.best_epoch = state_.epoch;
      state_.best_validation = validation;
    }
    const Validation& kept = state_.best_validation;
    latest_ = kept.objective == -kept.loss ? fmt::format("best loss {:.4f}", kept.loss)
                                           : fmt::format("best {:.2f} %", 100 * kept.objective);
    if (!watch_.event_file.empty())
      RealFileSystem().append(watch_.event_file, epoch_event(state_.log.size() - 1));
    ++state_.epoch;
    state_.step = 0;
    state_.loss_sum = 0;
    state_.loss_terms = 0;
    state_.seconds = 0;
    save();
  }

  void report_progress() {
    const std::int64_t total = options_.epochs * steps_per_epoch_;
    const std::int64_t done = state_.epoch * steps_per_epoch_ + state_.step;
    if (first_step_ < 0) {
      first_step_ = done;
      started_ = Clock::now();
    }
    const double each =
        done > first_step_ ? seconds_since(started_) / static_cast<double>(done - first_step_) : 0;
    std::string words =
        fmt::format("epoch {} of {}, loss {:.4f}", state_.epoch + 1, options_.epochs, epoch_loss());
    if (!latest_.empty()) words += ", " + latest_;
    if (each > 0)
      words +=
          fmt::format(", {:.0f} samples/s, {} left", static_cast<double>(options_.batch) / each,
                      format_seconds(each * static_cast<double>(total - done)));
    watch_.progress(static_cast<double>(done) / static_cast<double>(total), words);
  }

  TrainingResult result() const {
    TrainingResult result{best_,
                          state_.best_epoch + 1,
                          state_.epoch,
                          state_.best_validation,
                          Table(log_columns()),
                          Table(kTimingColumns)};
    const auto fill = [](Table& table, const std::vector<std::vector<double>>& rows) {
      for (const std::vector<double>& row : rows) table.add(texts_of(row, number_text));
    };
    fill(result.log, state_.log);
    fill(result.timing, state_.timing);
    return result;
  }

  TrainingTask& task_;
  Parameters parameters_;
  Parameters best_;
  const TrainingOptions options_;
  ThreadTeam& team_;
  const TrainingWatch& watch_;
  PackedWeights packed_;
  Optimiser optimiser_;
  std::int64_t steps_per_epoch_;
  Digest identity_;
  LearningRate schedule_;
  std::vector<Replica> replicas_;
  std::vector<ShardLoss> losses_;  // of each shard
  TrainingState state_;
  std::string latest_;
  Clock::time_point last_save_ = Clock::now();
  std::int64_t first_step_ = -1;  // of this process, to estimate the time left
  Clock::time_point started_;
};

}  // namespace

std::vector<std::int64_t> TrainingTask::begin_epoch(std::int64_t, std::int64_t,
                                                    RandomStream random) {
  std::vector<std::int64_t> order(static_cast<std::size_t>(size()));
  std::iota(order.begin(), order.end(), 0);
  random.shuffle(std::span(order));
  return order;
}

TrainingResult train(TrainingTask& task, const Parameters& parameters,
                     const TrainingOptions& options, ThreadTeam& team, const TrainingWatch& watch) {
  return Training(task, parameters, options, team, watch).run();
}

}  // namespace headway
