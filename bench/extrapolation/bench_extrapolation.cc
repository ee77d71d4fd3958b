// Headway's side of the extrapolation benchmark: how fast the study's classifier trains on short
// sequences and judges long ones. Prints one JSON line, as the peer does. Training runs the real
// loop on real data.
//
//   bench_extrapolation train [--shards 2] [--threads 2] [--seconds 10]
//   bench_extrapolation evaluate [--threads 2] [--sequences 256] [--length 256]
//   bench_extrapolation gemm [--threads 2]
#include "bench/measure.h"
#include "lib/extrapolation/analysis/classifier_task.h"
#include "lib/extrapolation/sorting.h"
#include "lib/nn/classifier.h"
#include "lib/train/scoring.h"

namespace headway {
namespace {

Parameters drawn_parameters(const ClassifierConfig& config) {
  Parameters parameters(parameter_shapes(config));
  parameters.draw(641);
  return parameters;
}

// Every matrix product of one training step on `samples` sequences of medium length, but for those
// inside attention.
std::vector<Product> products_of_step(const ClassifierConfig& config, const SortingRecipe& recipe,
                                      std::int64_t samples) {
  const std::int64_t d = config.d_model, layers = config.n_layers;
  const std::int64_t rows = samples * (recipe.shortest + recipe.longest) / 2;
  std::vector<Product> products;
  add_linear(rows, d, 3 * d, layers, products);
  add_linear(rows, d, d, layers, products);
  add_linear(rows, d, config.d_ff, layers, products);
  add_linear(rows, config.d_ff, d, layers, products);
  return products;
}

SortingData training_data() {
  SortingSizes sizes;
  sizes.val = 64;  // few: the peer does not validate in between
  sizes.test = 64;
  sizes.test_lengths = {};
  return generate_sorting({}, sizes);
}

// Trainings on a thread each, as a pipeline runs those of several seeds or encodings: the samples
// per second of all together.
double rate_side_by_side(const ClassifierConfig& config, const SortingData& data,
                         const Parameters& parameters, std::size_t trainings, double seconds) {
  TrainingOptions options;
  options.shards = 1;
  std::vector<double> rates(trainings);
  ThreadTeam team(trainings);
  team.run(trainings, [&](std::size_t number) {
    ClassifierTask task(config, data);
    ThreadTeam alone(1);
    rates[number] = training_rate(task, parameters, options, alone, seconds).per_second;
  });
  double sum = 0;
  for (const double rate : rates) sum += rate;
  return sum;
}

Json measure_train(const Options& options) {
  const SortingData data = training_data();
  const ClassifierConfig config;
  ClassifierTask task(config, data);
  const Parameters parameters = drawn_parameters(config);
  ThreadTeam team(options.threads());
  TrainingOptions training;
  training.shards = options.count("shards");
  const double seconds = options.number("seconds");
  const TrainingRate rate = training_rate(task, parameters, training, team, seconds);
  Json report = training_report(
      rate, training, parameters,
      products_of_step(config, data.recipe, training.batch / training.shards), team);
  report["side_by_side_samples_per_second"] =
      rate_side_by_side(config, data, parameters, team.size(), seconds);
  return report;
}

// Scores of sequences longer than any it was trained on. The weights do not matter to the time it
// takes.
Json measure_evaluate(const Options& options) {
  SortingSizes sizes;
  sizes.train = sizes.val = sizes.test = 64;
  sizes.test_lengths = {options.count("length")};
  sizes.test_size = options.count("sequences");
  sizes.test_values = (sizes.test_size + 1) * sizes.test_lengths.front();  // so none are left out
  const SortingData data = generate_sorting({}, sizes);
  const LabelledSequences& sequences = data.tests.front().sequences;
  const ClassifierConfig config;
  const Parameters parameters = drawn_parameters(config);
  const Classifier model(config, parameters.views(false), sequences.width);
  ThreadTeam team(options.threads());
  score(model, data.val, team);  // allocator and caches
  const Stopwatch watch;
  const ClassifierScores scores = score(model, sequences, team);
  return {{"seconds", watch.seconds()}, {"cpu_seconds", watch.cpu_seconds()},
          {"threads", team.size()},     {"sequences", scores.right.size()},
          {"length", sequences.width},  {"parameters", parameters.count()}};
}

}  // namespace
}  // namespace headway

int main(int argc, char** argv) {
  using namespace headway;
  return run_mode(
      argc, argv,
      {{"train", {Options({{"shards", 2}, {"threads", 2}, {"seconds", 10}}), measure_train}},
       {"evaluate",
        {Options({{"threads", 2}, {"sequences", 256}, {"length", 256}}), measure_evaluate}}});
}
