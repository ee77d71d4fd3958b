// Headway's side of the addition benchmark: how fast the study's model trains, is ablated and is
// pruned here. Prints one JSON line, as the peer does. Training runs the real loop on real data.
//
//   bench_addition train [--shards 2] [--threads 2] [--seconds 10]
//   bench_addition ablation [--threads 2] [--problems 2000]
//   bench_addition prune [--threads 2] [--problems 2000] [--epochs 24]
#include "bench/measure.h"
#include "lib/addition/addition.h"
#include "lib/analysis/ablation.h"
#include "lib/analysis/pruning.h"
#include "lib/train/transformer_task.h"

namespace headway {
namespace {

Parameters drawn_parameters(const TransformerConfig& config) {
  Parameters parameters(parameter_shapes(config));
  parameters.draw(641);
  return parameters;
}

// Every matrix product of one training step on `samples` problems, but for those inside attention.
std::vector<Product> products_of_step(const TransformerConfig& config, std::int64_t samples) {
  const std::int64_t d = config.d_model, in = samples * 7, out = samples * 4;
  const std::int64_t layers = config.n_layers;
  std::vector<Product> products;
  add_linear(in, d, 3 * d, layers, products);  // the encoder
  add_linear(in, d, d, layers, products);
  add_linear(in, d, config.d_ff, layers, products);
  add_linear(in, config.d_ff, d, layers, products);
  add_linear(out, d, 3 * d, layers, products);  // the decoder
  add_linear(out, d, d, 3 * layers, products);
  add_linear(in, d, 2 * d, layers, products);
  add_linear(out, d, config.d_ff, layers, products);
  add_linear(out, config.d_ff, d, layers, products);
  return products;
}

Json measure_train(const Options& options) {
  AdditionSizes sizes;
  sizes.train = 9'984;  // whole batches
  sizes.val = 64;       // few: the peer does not validate in between
  const Dataset data = generate_addition(sizes);
  const TransformerConfig config = shaped_for({}, data);
  TransformerTask task(config, data);
  const Parameters parameters = drawn_parameters(config);
  ThreadTeam team(options.threads());
  TrainingOptions training;
  training.shards = options.count("shards");
  training.dropout.attention = training.dropout.layers;  // as the peer has it
  const TrainingRate rate =
      training_rate(task, parameters, training, team, options.number("seconds"));
  return training_report(rate, training, parameters,
                         products_of_step(config, training.batch / training.shards), team);
}

// The ablation of every head, over test problems that are as many as the peer's. The weights do not
// matter to the time it takes.
Json measure_ablation(const Options& options) {
  AdditionSizes sizes;
  sizes.test = options.count("problems");
  const Dataset data = generate_addition(sizes);
  const TransformerConfig config = shaped_for({}, data);
  const Parameters parameters = drawn_parameters(config);
  const Split& test = data.split("test");
  const Transformer model(config, parameters.views(false), positions_needed(config, test));
  ThreadTeam team(options.threads());
  const Stopwatch watch;
  const Ablation ablation =
      ablate(model, test, components_of(config, {ComponentKind::kHead}), {}, team);
  return {{"seconds", watch.seconds()},
          {"cpu_seconds", watch.cpu_seconds()},
          {"threads", team.size()},
          {"problems", ablation.problems},
          {"evaluations", ablation.effects.size() + 1},
          {"parameters", parameters.count()}};
}

// The search for heads that can go together, in a model that was trained a little: how long it
// takes depends on the weights, because heads are given up when they are worse than another.
Json measure_pruning(const Options& options) {
  AdditionSizes sizes;
  sizes.val = sizes.test = options.count("problems");
  const Dataset data = generate_addition(sizes);
  const TransformerConfig config = shaped_for({}, data);
  TransformerTask task(config, data);
  ThreadTeam team(options.threads());
  TrainingOptions training;
  training.epochs = options.count("epochs");
  training.shards = 2;
  const TrainingResult trained = train(task, drawn_parameters(config), training, team, {});
  const Split &choose = data.split("val"), &measure = data.split("test");
  const Transformer model(config, trained.best.views(false), positions_needed(config, measure));
  const std::vector<Component> heads = components_of(config, {ComponentKind::kHead});
  const PruningOptions orders;
  score(model, measure, team);  // allocator and caches
  const Stopwatch once;
  score(model, measure, team);
  const double evaluation = once.seconds();
  const Stopwatch watch;
  const Pruning pruning = prune(model, heads, choose, measure, orders, team, [](double) {});
  // Of a plain search: every head that is left, in each step; each head alone; and every point of
  // the curves.
  const std::size_t count = heads.size();
  const std::size_t curves = 2 + static_cast<std::size_t>(orders.random_orders);
  const std::size_t evaluations = count * (count + 1) / 2 + 1 + count + count * curves;
  return {{"seconds", watch.seconds()},      {"cpu_seconds", watch.cpu_seconds()},
          {"threads", team.size()},          {"problems", measure.size()},
          {"evaluations", evaluations},      {"evaluation_seconds", evaluation},
          {"accuracy", pruning.whole.value}, {"together", pruning.together(1).size()}};
}

}  // namespace
}  // namespace headway

int main(int argc, char** argv) {
  using namespace headway;
  return run_mode(
      argc, argv,
      {{"train", {Options({{"shards", 2}, {"threads", 2}, {"seconds", 10}}), measure_train}},
       {"ablation", {Options({{"threads", 2}, {"problems", 2000}}), measure_ablation}},
       {"prune",
        {Options({{"threads", 2}, {"problems", 2000}, {"epochs", 24}}), measure_pruning}}});
}
