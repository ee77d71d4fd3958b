// A training that is stopped and continued ends like an undisturbed one.
#include <ATen/ops/zeros_like.h>

#include <catch2/catch_test_macros.hpp>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <functional>

#include "lib/base/error.h"
#include "lib/numerics/event_file.h"
#include "lib/train/training_state.h"
#include "tests/nn/tiny_models.h"
#include "tests/support/event_reader.h"
#include "tests/train/half_trained.h"
#include "tests/train/scripted_task.h"

namespace headway::testing {
namespace {

// A training of 3 epochs with 3 steps each, that can be stopped, in its own folder. With offsets,
// and of a source of fresh samples if there is one.
class Interruptible {
 public:
  explicit Interruptible(ModelKind kind = ModelKind::kEncoderDecoder, bool fresh = false)
      : config_(tiny_config(kind, Encoding::kLearned)),
        data_(dataset_of(uneven_data(kind, 20), uneven_data(kind, 30, 2))) {
    config_.offset = 3;
    config_ = shaped_for(config_, data_);
    if (fresh) {
      source_.epoch = [kind](std::int64_t epoch) {
        return uneven_data(kind, 20, static_cast<std::uint64_t>(1 + epoch));
      };
    }
    std::string pattern = (std::filesystem::temp_directory_path() / "headway-nn-XXXXXX").string();
    if (!::mkdtemp(pattern.data())) throw Error("cannot make a temporary folder");
    folder_ = pattern;
    options = quick_options(3);
    options.batch = 8;
    options.shards = 2;
    options.dropout = {.layers = 0.1, .attention = 0.1};
  }
  ~Interruptible() {
    std::error_code ignored;
    std::filesystem::remove_all(folder_, ignored);
  }
  Interruptible(const Interruptible&) = delete;
  Interruptible& operator=(const Interruptible&) = delete;

  Path state_file() const { return folder_ / "state.safetensors"; }
  Path event_file() const { return folder_ / kEventFileName; }
  std::vector<ReadEvent> events() const {
    return read_events(RealFileSystem().read(event_file()).value());
  }
  std::vector<std::string> log;
  double save_every = 30;
  TrainingOptions options;
  std::uint64_t first_draw = 5;  // the seed of the initial parameters
  void set_epochs(std::int64_t epochs, std::int64_t schedule) {
    options.epochs = epochs;
    options.schedule_epochs = schedule;
  }

  Parameters parameters() const {
    Parameters start(parameter_shapes(config_));
    start.draw(first_draw);
    return start;
  }
  Digest identity() const {
    return identity_of(parameters(), options, TransformerTask(config_, data_).size());
  }

  // Throws Cancelled before the step after so many, of this call.
  TrainingResult run(int steps = 1000) {
    log.clear();
    TrainingWatch watch;
    watch.cancelled = [&] { return steps-- == 0; };
    watch.log = [&](const std::string& line) { log.push_back(line); };
    watch.state_file = state_file();
    watch.event_file = event_file();
    watch.save_every = save_every;
    ThreadTeam team(2);
    TransformerTask task(config_, data_, source_, options.seed);
    return train(task, parameters(), options, team, watch);
  }

  void forget() { std::filesystem::remove_all(state_file()); }
  void write_state(std::string_view bytes) {
    forget();  // a new file is cheap to write; to empty an old one first costs a sync
    RealFileSystem().write(state_file(), bytes, Durability::kCached);
  }
  std::string state() const { return RealFileSystem().read(state_file()).value(); }

 private:
  Path folder_;
  TransformerConfig config_;
  Dataset data_;
  SampleSource source_;
};

struct Outcome {
  std::string best;
  std::string log;
  std::int64_t best_epoch;

  explicit Outcome(const TrainingResult& result)
      : best(bytes_of(result.best)), log(result.log.to_csv()), best_epoch(result.best_epoch) {}
  bool operator==(const Outcome&) const = default;
};

TEST_CASE("a training stopped at any step and continued ends with the same bytes and log") {
  for (const ModelKind kind : kEveryKind) {
    for (const bool fresh : {false, true}) {
      Interruptible training(kind, fresh);
      const Outcome undisturbed(training.run());
      for (const int steps : {0, 1, 2, 3, 4, 8}) {
        CAPTURE(name_of(kind), fresh, steps);
        training.forget();
        REQUIRE_THROWS_AS(training.run(steps), Cancelled);
        CHECK((Outcome(training.run()) == undisturbed));  // without the bytes in the message
      }
    }
  }
}

TEST_CASE("a training on fresh samples is another one than on stored samples") {
  Interruptible stored(ModelKind::kDecoder, false), fresh(ModelKind::kDecoder, true);
  CHECK_FALSE((Outcome(stored.run()) == Outcome(fresh.run())));
}

// The log has six digits of each number.
void check_events(const std::vector<ReadEvent>& events, const Table& log) {
  REQUIRE(events.size() == 1 + log.size());
  CHECK(events[0].version == "brain.Event:2");
  for (std::size_t row = 0; row < log.size(); ++row) {
    const ReadEvent& event = events[row + 1];
    CHECK(event.step == static_cast<std::int64_t>(row) + 1);
    CHECK(event.scalars.size() == log.columns().size() - 1 + 2);  // the two of the timing
    for (std::size_t i = 1; i < log.columns().size(); ++i) {
      const double logged = log.number(row, log.columns()[i]);
      const double apart =
          std::abs(static_cast<double>(event.scalars.at(log.columns()[i])) - logged);
      CHECK(apart <= 1e-5 * std::abs(logged));
    }
  }
}

TEST_CASE("the events of a training are its log, while it runs and however often it is stopped") {
  Interruptible training;
  const Table log = training.run().log;
  check_events(training.events(), log);
  training.forget();
  REQUIRE_THROWS_AS(training.run(4), Cancelled);
  CHECK(training.events().size() == 1 + 1);  // one epoch of three steps
  const double first_ended = training.events().at(1).time;
  REQUIRE_THROWS_AS(training.run(3), Cancelled);
  CHECK(training.events().size() == 1 + 2);
  training.run();
  check_events(training.events(), log);
  CHECK(training.events().at(1).time == first_ended);
  CHECK(training.events().at(2).time >= first_ended);
}

TEST_CASE("a training stopped after every step ends the same") {
  for (const ModelKind kind : kEveryKind) {
    Interruptible training(kind, true);
    const Outcome undisturbed(training.run());
    training.forget();
    for (int step = 0; step < 8; ++step) REQUIRE_THROWS_AS(training.run(1), Cancelled);
    CHECK((Outcome(training.run(1)) == undisturbed));
  }
}

TEST_CASE("a killed training continues from its last saved step") {
  Interruptible training;
  const Outcome undisturbed(training.run());
  training.forget();
  training.save_every = 0;  // after every step
  REQUIRE_THROWS_AS(training.run(5), Cancelled);
  const std::string state = training.state();
  REQUIRE_THROWS_AS(training.run(2), Cancelled);
  training.write_state(state);  // as if those two steps had never been saved
  CHECK(Outcome(training.run()) == undisturbed);
  CHECK(training.log.front() == "continues in epoch 2, after 2 of its 3 steps");
}

TEST_CASE("a finished training is not trained again") {
  Interruptible training;
  const Outcome undisturbed(training.run());
  CHECK(Outcome(training.run(0)) == undisturbed);
}

TEST_CASE("a training continues from the end of a shorter one with the same schedule") {
  Interruptible training;
  training.set_epochs(4, 0);
  const Outcome undisturbed(training.run());
  training.forget();
  for (const std::int64_t epochs : {1, 3}) {
    training.set_epochs(epochs, 4);
    training.run();
  }
  training.set_epochs(4, 0);
  CHECK(Outcome(training.run()) == undisturbed);
  CHECK(training.log.front() == "continues in epoch 4, after 0 of its 3 steps");
}

TEST_CASE("a training that ran out of patience ends the same when more epochs are requested") {
  const Interruptible folder;
  ThreadTeam team(1);
  TrainingWatch watch;
  watch.state_file = folder.state_file();
  const auto train_scripted = [&](ScriptedTask& task, std::int64_t epochs) {
    TrainingOptions options = ScriptedTask::options(epochs);
    options.schedule_epochs = 8;
    options.patience = 2;
    return train(task, ScriptedTask::parameters(), options, team, watch);
  };
  ScriptedTask shorter(2, {{0.5, 1}, {0.6, 1}, {0.4, 1}, {0.4, 1}});
  const TrainingResult stopped = train_scripted(shorter, 5);
  REQUIRE(stopped.epochs == 4);
  ScriptedTask longer(2, {});
  const TrainingResult continued = train_scripted(longer, 8);
  CHECK(longer.begun.empty());
  CHECK(continued.epochs == 4);
  CHECK(Outcome(continued) == Outcome(stopped));
}

// The training's reaction to a state that it must not use: it says so, and starts from scratch.
void check_refused(Interruptible& training, const Outcome& undisturbed, const std::string& reason) {
  CHECK(Outcome(training.run()) == undisturbed);
  const std::string& said = training.log.front();
  INFO(said);
  CHECK(said.starts_with("the saved state cannot be used, starting from nothing: "));
  CHECK(said.find(reason) != std::string::npos);
  CHECK(said.find('\n') == std::string::npos);
  CHECK(training.log.size() == 1 + 3);
}

TEST_CASE("a state with any changed bit is not used") {
  Interruptible training;
  const Outcome undisturbed(training.run());
  training.forget();
  REQUIRE_THROWS_AS(training.run(4), Cancelled);
  const std::string good = training.state();
  std::uint64_t header = 0;
  std::memcpy(&header, good.data(), sizeof header);
  std::vector<std::size_t> places;
  for (std::size_t i = 0; i < sizeof header; ++i) places.push_back(i);
  for (std::size_t i = 0; i < 16; ++i) places.push_back(8 + header * i / 16);
  for (std::size_t i = 0; i < 32; ++i)
    places.push_back(8 + header + (good.size() - 8 - header) * i / 32);
  places.push_back(good.size() - 1);
  for (const std::size_t place : places) {
    CAPTURE(place, header, good.size());
    std::string flipped = good;
    flipped[place] = static_cast<char>(flipped[place] ^ (1 << place % 8));
    training.write_state(flipped);
    check_refused(training, undisturbed, "state.safetensors: ");
  }
}

TEST_CASE("no bit of a state's header can change unnoticed") {
  Interruptible training;
  REQUIRE_THROWS_AS(training.run(4), Cancelled);
  const std::string good = training.state();
  std::uint64_t header = 0;
  std::memcpy(&header, good.data(), sizeof header);
  const Parameters parameters = training.parameters();
  const auto buffer = [&] { return at::zeros_like(parameters.flat()); };
  const TrainingBuffers buffers = {
      {"parameters", buffer()}, {"best", buffer()}, {"mean", buffer()}, {"square", buffer()}};
  const auto read = [&] {
    return read_state(training.state_file(), buffers, training.identity(), 3);
  };
  REQUIRE(read().has_value());
  buffers[0].second.zero_();
  for (std::size_t bit = 0; bit < 8 * (8 + header); ++bit) {
    CAPTURE(bit);
    std::string flipped = good;
    flipped[bit / 8] = static_cast<char>(flipped[bit / 8] ^ (1 << bit % 8));
    training.write_state(flipped);
    CHECK_THROWS_AS(read(), Error);
  }
  CHECK(buffers[0].second.abs().sum().item<float>() == 0);
}

TEST_CASE("a torn, empty or invalid state is not used") {
  Interruptible training;
  const Outcome undisturbed(training.run());
  training.forget();
  REQUIRE_THROWS_AS(training.run(4), Cancelled);
  const std::string good = training.state();
  std::vector<std::string> broken = {"", "no state", std::string(1000, '\0'), good + "more"};
  for (const std::size_t length :
       {std::size_t{7}, std::size_t{8}, std::size_t{100}, good.size() / 2, good.size() - 1}) {
    broken.push_back(good.substr(0, length));
    broken.push_back(good.substr(0, length) + std::string(good.size() - length, '\0'));
  }
  TensorFile file = parse_safetensors(good, "state");
  file.metadata.erase("sha256");
  broken.push_back(to_safetensors(file));
  file.metadata.clear();
  broken.push_back(to_safetensors(file));
  for (std::size_t i = 0; i < broken.size(); ++i) {
    CAPTURE(i);
    if (broken[i] == good) continue;  // whose last byte is zero
    training.write_state(broken[i]);
    check_refused(training, undisturbed, "state.safetensors: ");
  }
}

TEST_CASE("a folder in place of the state does not stop a training") {
  Interruptible training;
  const Outcome undisturbed(training.run());
  training.forget();
  std::filesystem::create_directories(training.state_file() / "deep");
  check_refused(training, undisturbed, "state.safetensors");
}

TEST_CASE("the state of another training is not used") {
  Interruptible training;
  const Outcome undisturbed(training.run());
  const std::vector<std::function<void(TrainingOptions&)>> changes = {
      [](TrainingOptions& options) { options.seed = 642; },
      [](TrainingOptions& options) { options.lr = 2e-3; },
      [](TrainingOptions& options) { options.batch = 5; },
      [](TrainingOptions& options) { options.epochs = 4; },  // and so another schedule
      [](TrainingOptions& options) { options.dropout.attention = 0; }};
  for (std::size_t i = 0; i < changes.size(); ++i) {
    CAPTURE(i);
    training.forget();
    const TrainingOptions options = training.options;
    changes[i](training.options);
    REQUIRE_THROWS_AS(training.run(4), Cancelled);
    training.options = options;
    check_refused(training, undisturbed, "it is of another training");
  }
  training.forget();
  training.first_draw = 6;
  REQUIRE_THROWS_AS(training.run(4), Cancelled);
  training.first_draw = 5;
  check_refused(training, undisturbed, "it is of another training");
}

TEST_CASE("the state of a longer training is not used by a shorter one") {
  Interruptible training;
  training.set_epochs(3, 4);
  const Outcome undisturbed(training.run());
  training.forget();
  training.set_epochs(4, 4);
  training.run();
  training.set_epochs(3, 4);
  check_refused(training, undisturbed, "it is of a longer training");
}

}  // namespace
}  // namespace headway::testing
