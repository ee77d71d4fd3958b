#include "lib/addition/analysis/attention_maps.h"

#include <c10/core/GradMode.h>
#include <fmt/format.h>

#include "lib/addition/addition.h"
#include "lib/base/error.h"
#include "lib/base/json.h"

namespace headway {
namespace {

template <class T>
Array array_of(const at::Tensor& tensor) {
  const at::Tensor whole = tensor.contiguous();
  return Array::of(whole.sizes().vec(),
                   std::span(whole.data_ptr<T>(), static_cast<std::size_t>(whole.numel())));
}

}  // namespace

TensorFile attention_maps(const Seq2Seq& model, const Seq2SeqSplit& rows) {
  const c10::AutoGradMode without_gradients(false);
  const Seq2SeqBatch batch = make_batch(rows, 0, rows.size());
  TensorFile file;
  Json heads = Json::object();
  HeadHooks hooks;
  hooks.on_weights = [&](const AttentionSite& site, const at::Tensor& weights) {
    file.arrays[site.name()] = array_of<float>(weights);
    heads[site.name()] = model.config().heads_of(site.index);
  };
  DropoutStream none;
  model.forward(batch, none, hooks);
  file.arrays["inputs"] = array_of<Token>(batch.inputs);
  file.arrays["decoder_inputs"] = array_of<Token>(batch.fed);
  file.arrays["targets"] = array_of<Token>(batch.targets);
  file.arrays["predictions"] =
      array_of<Token>(greedy_decode(model, batch.inputs, batch.lengths, kBos, rows.target_length));
  Json problems = Json::array();
  for (std::int64_t i = 0; i < rows.size(); ++i)
    problems.push_back(
        fmt::format("{}={}", sequence_text(rows.input(i)), sequence_text(rows.target(i))));
  file.metadata["problems"] = problems.dump();
  file.metadata["heads"] = heads.dump();
  return file;
}

void append_written(const std::string& problem, const Seq2SeqSplit& like, Seq2SeqSplit& rows) {
  std::vector<Token> input;
  for (const char sign : problem) input.push_back(sign == '+' ? kPlus : sign - '0');
  const auto parsed = parse_problem(input);
  Seq2SeqSplit one;
  if (parsed) append_problem(parsed->problem, parsed->digits, one);
  if (!parsed || one.input_length != like.input_length || one.target_length != like.target_length ||
      !std::equal(input.begin(), input.end(), one.inputs.begin(), one.inputs.end()))
    throw Error("problem '{}' does not fit the data, whose problems are like {}={}", problem,
                sequence_text(like.input(0)), sequence_text(like.target(0)));
  rows.append(one, 0);
}

}  // namespace headway
