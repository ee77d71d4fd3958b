#include "lib/nn/functions.h"

#include <ATen/ops/addmm.h>
#include <ATen/ops/empty.h>
#include <ATen/ops/empty_like.h>
#include <ATen/ops/full.h>
#include <ATen/ops/mm.h>
#include <ATen/ops/mul.h>
#include <ATen/ops/zeros_like.h>

#include "lib/nn/custom_function.h"
#include "lib/nn/kernels/attention_kernel.h"
#include "lib/nn/kernels/layer_kernels.h"

namespace headway {
namespace {

using at::Tensor;
using torch::autograd::AutogradContext;
using torch::autograd::Function;
using torch::autograd::variable_list;

// LibTorch's functions take optional tensors, not undefined ones.
using Optional = c10::optional<Tensor>;

Optional if_defined(const Tensor& tensor) {
  return tensor.defined() ? Optional(tensor) : Optional();
}
const float* read_if(const Tensor& tensor) {
  return tensor.defined() ? read(tensor) : nullptr;
}

// Gradients of a linear layer, given that of its output [N, out].
variable_list linear_gradients(const Tensor& x, const Tensor& weight, const Tensor& slope) {
  Tensor bias = at::empty({slope.size(1)}, slope.options());
  sum_rows(slope.size(0), slope.size(1), read(slope), write(bias));
  const Tensor dx = x.requires_grad() ? at::mm(slope, weight) : Tensor();
  return {dx, at::mm(slope.t(), x), bias};
}

struct LinearFunction : Function<LinearFunction> {
  static Tensor forward(AutogradContext* context, const Tensor& x, const Tensor& weight,
                        const Tensor& bias) {
    context->save_for_backward({x, weight});
    return at::addmm(bias, x, weight.t());
  }
  static variable_list backward(AutogradContext* context, const variable_list& slopes) {
    const variable_list saved = context->get_saved_variables();
    return linear_gradients(saved[0], saved[1], slopes[0].contiguous());
  }
};

struct LinearReluDropoutFunction : Function<LinearReluDropoutFunction> {
  static Tensor forward(AutogradContext* context, const Tensor& x, const Tensor& weight,
                        const Tensor& bias, const Dropout& dropout) {
    Tensor y = at::addmm(bias, x, weight.t());
    relu_dropout_forward(y.numel(), dropout, write(y));
    context->save_for_backward({x, weight, y});
    hold(context, dropout.scale);
    return y;
  }
  static variable_list backward(AutogradContext* context, const variable_list& slopes) {
    const variable_list saved = context->get_saved_variables();
    const Tensor dy = slopes[0].contiguous();
    Tensor slope = at::empty_like(dy);
    relu_dropout_backward(dy.numel(), held<float>(context), read(saved[2]), read(dy), write(slope));
    variable_list gradients = linear_gradients(saved[0], saved[1], slope);
    gradients.emplace_back();
    return gradients;
  }
};

struct AddNormFunction : Function<AddNormFunction> {
  static Tensor forward(AutogradContext* context, const Tensor& branch, const Tensor& residual,
                        const Tensor& gain, const Tensor& bias, const Dropout& dropout,
                        bool for_backward) {
    Tensor y = at::empty_like(residual);
    const AddNorm op{residual.size(0), residual.size(1), read(gain), dropout};
    Tensor normalised, inverse;
    if (for_backward) {
      normalised = at::empty_like(residual);
      inverse = at::empty({op.rows}, residual.options());
      context->save_for_backward({gain, normalised, inverse});
      hold(context, dropout);
    }
    add_norm_forward(op, read(branch), read(residual), read(bias), write(y),
                     for_backward ? write(normalised) : nullptr,
                     for_backward ? write(inverse) : nullptr);
    return y;
  }
  static variable_list backward(AutogradContext* context, const variable_list& slopes) {
    const variable_list saved = context->get_saved_variables();
    const Tensor dy = slopes[0].contiguous();
    const AddNorm op{dy.size(0), dy.size(1), read(saved[0]), held<Dropout>(context)};
    Tensor residual = at::empty_like(dy);
    Tensor branch = op.dropout.active() ? at::empty_like(dy) : residual;
    Tensor gain = at::empty({op.width}, dy.options()), bias = at::empty({op.width}, dy.options());
    add_norm_backward(op, read(saved[1]), read(saved[2]), read(dy),
                      {write(branch), write(residual), write(gain), write(bias)});
    return {branch, residual, gain, bias, Tensor(), Tensor()};
  }
};

struct EmbedFunction : Function<EmbedFunction> {
  static Embedding op_of(const Tensor& tokens, std::int64_t width, float scale,
                         const Dropout& dropout) {
    return {tokens.numel(), width, tokens.size(1), tokens.data_ptr<std::int32_t>(), scale, dropout};
  }
  static Tensor forward(AutogradContext* context, const Tensor& tokens, const Tensor& table,
                        const Optional& given, float scale, const Dropout& dropout) {
    const Tensor positions = given.value_or(Tensor());
    const Embedding op = op_of(tokens, table.size(1), scale, dropout);
    Tensor y = at::empty({op.rows, op.width}, table.options());
    embedding_forward(op, read(table), read_if(positions), write(y));
    context->save_for_backward({tokens, table, positions});
    hold(context, std::pair(scale, dropout));
    return y;
  }
  static variable_list backward(AutogradContext* context, const variable_list& slopes) {
    const variable_list saved = context->get_saved_variables();
    const auto [scale, dropout] = held<std::pair<float, Dropout>>(context);
    const Tensor dy = slopes[0].contiguous();
    Tensor table = at::zeros_like(saved[1]);
    Tensor positions;
    if (saved[2].defined() && saved[2].requires_grad()) positions = at::zeros_like(saved[2]);
    embedding_backward(op_of(saved[0], dy.size(1), scale, dropout), read(dy), write(table),
                       positions.defined() ? write(positions) : nullptr);
    return {Tensor(), table, positions, Tensor(), Tensor()};
  }
};

AttentionShape shape_of(const AttentionSizes& sizes) {
  return {sizes.batch, sizes.heads, sizes.queries, sizes.keys, sizes.head_size};
}

// A bias, or its gradient: [H, 2 * R - 1].
template <class Float>
DistanceBias<Float> distances(Float* values, const Tensor& bias) {
  if (!bias.defined()) return {};
  return {values, (bias.size(1) + 1) / 2};
}

variable_list attend(const AttentionInputs& inputs, const Tensor& bias, const AttentionSizes& sizes,
                     const Dropout& dropout, const at::TensorOptions& options) {
  const auto& [B, H, T, S, D, causal, lengths, keep_weights] = sizes;
  Tensor z = at::empty({B, T, H, D}, options);
  Tensor weights = keep_weights ? at::empty({B, H, T, S}, options) : Tensor();
  const AttentionMask mask{causal, lengths.defined() ? lengths.data_ptr<std::int32_t>() : nullptr,
                           distances(read_if(bias), bias)};
  attention_forward(shape_of(sizes), inputs, mask, dropout, keep_weights ? write(weights) : nullptr,
                    write(z));
  return keep_weights ? variable_list{z, weights} : variable_list{z};
}

// The queries, keys or values inside a projection or its gradient.
template <class Float>
HeadRows<Float> part(Float* data, const AttentionSizes& sizes, int index, int parts) {
  const std::int64_t width = sizes.heads * sizes.head_size;
  return {data + index * width, parts * width};
}
AttentionInputs self_inputs(const float* qkv, const AttentionSizes& sizes) {
  return {part(qkv, sizes, 0, 3), part(qkv, sizes, 1, 3), part(qkv, sizes, 2, 3)};
}
AttentionInputs cross_inputs(const float* q, const float* kv, const AttentionSizes& sizes) {
  return {part(q, sizes, 0, 1), part(kv, sizes, 0, 2), part(kv, sizes, 1, 2)};
}

AttentionResult result_of(const variable_list& results) {
  return {results[0], results.size() > 1 ? results[1] : Tensor()};
}

using AttentionHeld = std::pair<AttentionSizes, Dropout>;

AttentionSizes with_what_gradients_need(AttentionSizes sizes) {
  sizes.keep_weights |= c10::GradMode::is_enabled();
  return sizes;
}

struct SelfAttentionFunction : Function<SelfAttentionFunction> {
  static variable_list forward(AutogradContext* context, const Tensor& qkv, const Optional& given,
                               const AttentionSizes& sizes, const Dropout& dropout) {
    const Tensor bias = given.value_or(Tensor());
    variable_list results =
        attend(self_inputs(read(qkv), sizes), bias, sizes, dropout, qkv.options());
    if (sizes.keep_weights) {
      context->save_for_backward({qkv, bias, results[1]});
      context->mark_non_differentiable({results[1]});
      hold(context, AttentionHeld(sizes, dropout));
    }
    return results;
  }
  static variable_list backward(AutogradContext* context, const variable_list& slopes) {
    const variable_list saved = context->get_saved_variables();
    const auto [sizes, dropout] = held<AttentionHeld>(context);
    const Tensor dz = slopes[0].contiguous();
    Tensor dqkv = at::empty_like(saved[0]);
    float* out = write(dqkv);
    Tensor dbias;
    if (saved[1].defined() && saved[1].requires_grad()) dbias = at::zeros_like(saved[1]);
    attention_backward(shape_of(sizes), self_inputs(read(saved[0]), sizes), dropout, read(saved[2]),
                       read(dz),
                       {part(out, sizes, 0, 3), part(out, sizes, 1, 3), part(out, sizes, 2, 3),
                        distances(dbias.defined() ? write(dbias) : nullptr, dbias)});
    return {dqkv, dbias, Tensor(), Tensor()};
  }
};

struct CrossAttentionFunction : Function<CrossAttentionFunction> {
  static variable_list forward(AutogradContext* context, const Tensor& q, const Tensor& kv,
                               const AttentionSizes& sizes, const Dropout& dropout) {
    variable_list results =
        attend(cross_inputs(read(q), read(kv), sizes), {}, sizes, dropout, q.options());
    if (sizes.keep_weights) {
      context->save_for_backward({q, kv, results[1]});
      context->mark_non_differentiable({results[1]});
      hold(context, AttentionHeld(sizes, dropout));
    }
    return results;
  }
  static variable_list backward(AutogradContext* context, const variable_list& slopes) {
    const variable_list saved = context->get_saved_variables();
    const auto [sizes, dropout] = held<AttentionHeld>(context);
    const Tensor dz = slopes[0].contiguous();
    Tensor dq = at::empty_like(saved[0]), dkv = at::empty_like(saved[1]);
    attention_backward(shape_of(sizes), cross_inputs(read(saved[0]), read(saved[1]), sizes),
                       dropout, read(saved[2]), read(dz),
                       {part(write(dq), sizes, 0, 1),
                        part(write(dkv), sizes, 0, 2),
                        part(write(dkv), sizes, 1, 2),
                        {}});
    return {dq, dkv, Tensor(), Tensor()};
  }
};

struct CrossEntropyFunction : Function<CrossEntropyFunction> {
  static Tensor forward(AutogradContext* context, const Tensor& logits, const Tensor& targets,
                        std::int32_t ignored, double scale) {
    Tensor slopes = at::empty_like(logits);
    const CrossEntropy op{logits.size(0), logits.size(1), targets.data_ptr<std::int32_t>(),
                          ignored};
    const double sum = cross_entropy(op, read(logits), static_cast<float>(scale), write(slopes));
    context->save_for_backward({slopes});
    return at::full({}, sum * scale, logits.options());
  }
  static variable_list backward(AutogradContext* context, const variable_list& slopes) {
    const Tensor saved = context->get_saved_variables()[0];
    return {at::mul(saved, slopes[0]), Tensor(), Tensor(), Tensor()};
  }
};

}  // namespace

Tensor linear(const Tensor& x, const Tensor& weight, const Tensor& bias) {
  return LinearFunction::apply(x, weight, bias);
}

Tensor linear_relu_dropout(const Tensor& x, const Tensor& weight, const Tensor& bias,
                           const Dropout& dropout) {
  return LinearReluDropoutFunction::apply(x, weight, bias, dropout);
}

Tensor add_norm(const Tensor& branch, const Tensor& residual, const Tensor& gain,
                const Tensor& bias, const Dropout& dropout) {
  const bool for_backward = c10::GradMode::is_enabled();  // off inside the function
  return AddNormFunction::apply(branch, residual, gain, bias, dropout, for_backward);
}

Tensor embed(const Tensor& tokens, const Tensor& table, const Tensor& positions, double scale,
             const Dropout& dropout) {
  return EmbedFunction::apply(tokens, table, if_defined(positions), static_cast<float>(scale),
                              dropout);
}

AttentionResult self_attention(const Tensor& qkv, const Tensor& bias, const AttentionSizes& sizes,
                               const Dropout& dropout) {
  const variable_list results =
      SelfAttentionFunction::apply(qkv, if_defined(bias), with_what_gradients_need(sizes), dropout);
  return result_of(results);
}

AttentionResult cross_attention(const Tensor& q, const Tensor& kv, const AttentionSizes& sizes,
                                const Dropout& dropout) {
  const variable_list results =
      CrossAttentionFunction::apply(q, kv, with_what_gradients_need(sizes), dropout);
  return result_of(results);
}

Tensor cross_entropy_sum(const Tensor& logits, const Tensor& targets, std::int32_t ignored,
                         double scale) {
  return CrossEntropyFunction::apply(logits, targets, ignored, scale);
}

}  // namespace headway
