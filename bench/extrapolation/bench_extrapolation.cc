// Headway's side of the extrapolation benchmark: how fast the study's classifier trains on short
// sequences and judges long ones. Prints one JSON line, as the peer does. Training runs the real
// loop on real data.
//
//   bench_extrapolation train [--shards 2] [--threads 2] [--seconds 10]
//   bench_extrapolation evaluate [--threads 2] [--sequences 256] [--length 256]
#include "bench/measure.h"
#include "lib/extrapolation/length_tests.h"
#include "lib/extrapolation/sorting.h"
#include "lib/train/scoring.h"
#include "lib/train/transformer_task.h"

namespace headway {
namespace {

Parameters drawn_parameters(const TransformerConfig& config) {
  Parameters parameters(parameter_shapes(config));
  parameters.draw(641);
  return parameters;
}

// Every matrix product of one training step on `samples` sequences of medium length, but for those
// inside attention.
std::vector<Product> products_of_step(const TransformerConfig& config, const SortingRecipe& recipe,
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

// The study's classifier, with the shape that this data asks for.
TransformerConfig classifier_for(const Dataset& data) {
  TransformerConfig config;
  config.kind = ModelKind::kEncoder;
  config.n_layers = 4;
  return shaped_for(config, data);
}

Dataset training_data() {
  SortingSizes sizes;
  sizes.train = 9'984;  // whole batches
  sizes.val = 64;       // few: the peer does not validate in between
  sizes.test = 64;
  sizes.test_lengths = {};
  return generate_sorting({}, sizes);
}

// Trainings on a thread each, as a pipeline runs those of several seeds or encodings: the samples
// per second of all together.
double rate_side_by_side(const TransformerConfig& config, const Dataset& data,
                         const Parameters& parameters, std::size_t trainings, double seconds) {
  TrainingOptions options;
  options.shards = 1;
  std::vector<double> rates(trainings);
  ThreadTeam team(trainings);
  team.run(trainings, [&](std::size_t number) {
    TransformerTask task(config, data);
    ThreadTeam alone(1);
    rates[number] = training_rate(task, parameters, options, alone, seconds).per_second;
  });
  double sum = 0;
  for (const double rate : rates) sum += rate;
  return sum;
}

Json measure_train(const Options& options) {
  const Dataset data = training_data();
  const TransformerConfig config = classifier_for(data);
  TransformerTask task(config, data);
  const Parameters parameters = drawn_parameters(config);
  ThreadTeam team(options.threads());
  TrainingOptions training;
  training.shards = options.count("shards");
  const double seconds = options.number("seconds");
  const TrainingRate rate = training_rate(task, parameters, training, team, seconds);
  Json report = training_report(
      rate, training, parameters,
      products_of_step(config, SortingRecipe(), training.batch / training.shards), team);
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
  const Dataset data = generate_sorting({}, sizes);
  const Split& sequences = *length_tests(data).front().split;
  const TransformerConfig config = classifier_for(data);
  const Parameters parameters = drawn_parameters(config);
  const Transformer model(config, parameters.views(false), sequences.input_length);
  ThreadTeam team(options.threads());
  score(model, data.split("val"), team);  // allocator and caches
  const Stopwatch watch;
  const Scores scores = score(model, sequences, team);
  return {{"seconds", watch.seconds()},       {"cpu_seconds", watch.cpu_seconds()},
          {"threads", team.size()},           {"sequences", scores.size()},
          {"length", sequences.input_length}, {"parameters", parameters.count()}};
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
