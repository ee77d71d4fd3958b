#include "lib/nn/rotary.h"

#include "lib/nn/custom_function.h"
#include "lib/nn/kernels/rotary_kernel.h"

namespace headway {
namespace {

using TurnHeld = std::pair<at::Tensor, AttentionSizes>;

at::Tensor turned(const at::Tensor& qkv, const TurnHeld& how, bool backwards) {
  const auto& [turns, sizes] = how;
  const AttentionShape shape{sizes.batch, sizes.heads, sizes.queries, sizes.keys, sizes.head_size};
  const std::int64_t width = sizes.heads * sizes.head_size;
  at::Tensor result = qkv.clone();
  for (const std::int64_t part : {std::int64_t{0}, width}) {  // queries, keys
    turn_rows(shape, {read(qkv) + part, 3 * width}, read(turns), backwards,
              {write(result) + part, 3 * width});
  }
  return result;
}

struct TurnFunction : torch::autograd::Function<TurnFunction> {
  static at::Tensor forward(torch::autograd::AutogradContext* context, const at::Tensor& qkv,
                            const TurnHeld& how) {
    hold(context, how);
    return turned(qkv, how, false);
  }
  static torch::autograd::variable_list backward(torch::autograd::AutogradContext* context,
                                                 const torch::autograd::variable_list& slopes) {
    return {turned(slopes[0].contiguous(), held<TurnHeld>(context), true), at::Tensor()};
  }
};

}  // namespace

at::Tensor turn(const at::Tensor& qkv, const at::Tensor& turns, const AttentionSizes& sizes) {
  return TurnFunction::apply(qkv, TurnHeld(turns, sizes));
}

}  // namespace headway
