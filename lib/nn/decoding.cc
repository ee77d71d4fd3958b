#include "lib/nn/decoding.h"

#include <ATen/ops/empty.h>
#include <ATen/ops/full.h>
#include <c10/core/GradMode.h>

#include <algorithm>

namespace headway {

at::Tensor most_likely(const at::Tensor& logits) {
  const std::int64_t rows = logits.size(0), classes = logits.size(1);
  at::Tensor best = at::empty({rows}, at::kInt);
  const auto* scores = logits.data_ptr<float>();
  auto* out = best.data_ptr<std::int32_t>();
  for (std::int64_t row = 0; row < rows; ++row) {
    const float* first = scores + row * classes;
    out[row] = static_cast<std::int32_t>(std::max_element(first, first + classes) - first);
  }
  return best;
}

at::Tensor greedy_decode(const Seq2Seq& model, const at::Tensor& inputs, const at::Tensor& lengths,
                         std::int32_t first_token, std::int64_t steps, const HeadHooks& hooks) {
  const c10::AutoGradMode without_gradients(false);
  const Seq2SeqWalk encoded = model.encode(inputs, lengths, hooks);
  const std::int64_t batch = encoded.batch;
  at::Tensor outputs = at::empty({batch, steps}, at::kInt);
  at::Tensor tokens = at::full({batch}, first_token, at::kInt);
  std::vector<at::Tensor> cache;
  for (std::int64_t step = 0; step < steps; ++step) {
    tokens = most_likely(model.decode_step(encoded, tokens, step, cache, hooks));
    outputs.select(1, step).copy_(tokens);
  }
  return outputs;
}

}  // namespace headway
