#include "lib/nn/decoding.h"

#include <ATen/ops/empty.h>
#include <c10/core/GradMode.h>

namespace headway {

at::Tensor greedy_decode(const Transformer& model, const Prompt& prompt, std::int64_t steps,
                         const Hooks& hooks) {
  const c10::AutoGradMode without_gradients(false);
  Walk walk = model.begin_decoding(prompt.batch, hooks);
  at::Tensor outputs = at::empty({walk.batch, steps}, at::kInt);
  at::Tensor tokens = prompt.batch.fed;  // [B, P], then [B, 1]
  for (std::int64_t step = 0; step < steps; ++step) {
    const at::Tensor positions =
        prompt.positions.defined()
            ? prompt.positions.narrow(1, walk.before, tokens.size(1)).contiguous()
            : at::Tensor();
    tokens = most_likely(model.decode(walk, tokens, positions, hooks)).unsqueeze(1);
    outputs.select(1, step).copy_(tokens.squeeze(1));
  }
  return outputs;
}

}  // namespace headway
