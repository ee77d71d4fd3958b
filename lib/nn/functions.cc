#include "lib/nn/functions.h"

#include <ATen/ops/add.h>
#include <ATen/ops/empty.h>
#include <ATen/ops/empty_like.h>
#include <ATen/ops/full.h>
#include <ATen/ops/mul.h>
#include <ATen/ops/zeros.h>
#include <ATen/ops/zeros_like.h>
#include <torch/csrc/autograd/custom_function.h>

#include "lib/nn/kernels/attention_kernel.h"
#include "lib/nn/kernels/layer_kernels.h"
#include "lib/nn/kernels/matrix_product.h"
#include "lib/numerics/part_clock.h"

namespace headway {
namespace {

using at::Tensor;
using torch::autograd::AutogradContext;
using torch::autograd::Function;
using torch::autograd::variable_list;

// Plain data that a function passes from forward to backward.
template <class T>
struct Held : torch::CustomClassHolder {
  explicit Held(T held) : value(std::move(held)) {}
  T value;
};
template <class T>
void hold(AutogradContext* context, T value) {
  context->saved_data["op"] =
      c10::IValue::make_capsule(c10::make_intrusive<Held<T>>(std::move(value)));
}
template <class T>
const T& held(AutogradContext* context) {
  return static_cast<Held<T>&>(*context->saved_data["op"].toCapsule()).value;
}

// A tensor's numbers; null if it is undefined.
const float* read(const Tensor& tensor) {
  return tensor.defined() ? tensor.data_ptr<float>() : nullptr;
}
float* write(Tensor& tensor) {
  return tensor.defined() ? tensor.data_ptr<float>() : nullptr;
}
const std::int32_t* read_integers(const Tensor& tensor) {
  return tensor.defined() ? tensor.data_ptr<std::int32_t>() : nullptr;
}

// LibTorch's functions take optional tensors, not undefined ones.
using Optional = c10::optional<Tensor>;

Optional if_defined(const Tensor& tensor) {
  return tensor.defined() ? Optional(tensor) : Optional();
}
// To add a gradient to; undefined if none is wanted.
Tensor zeros_for_gradient(const Tensor& tensor) {
  return tensor.defined() && tensor.requires_grad() ? at::zeros_like(tensor) : Tensor();
}

// x [N, in] -> y [N, out], whose values are not computed yet.
struct LinearOutput {
  Tensor panels, y;
  LinearProduct product;

  LinearOutput(const Tensor& x, const Weight& weight, const Tensor& bias)
      : panels(weight.forward_panels()),
        y(at::empty({x.size(0), weight.values.size(0)}, x.options())),
        product{x.size(0), x.size(1), y.size(1), read(x), read(panels), read(bias), write(y)} {}

  std::int64_t multiplications() const { return product.rows * product.inner * product.columns; }
};

// What the backward pass of a linear layer needs of its weight.
struct LinearSlopes {
  Tensor panels;
  std::shared_ptr<std::vector<WeightFactors>> factors;  // null: computes the weight's gradient

  explicit LinearSlopes(const Weight& weight)
      : panels(c10::GradMode::is_enabled() ? weight.backward_panels() : Tensor()),
        factors(weight.factors) {}

  // Gradients of x [N, in], weight and bias, given that of the layer's output [N, out].
  variable_list gradients(const Tensor& x, const Tensor& slopes) const {
    const std::int64_t rows = x.size(0), in = x.size(1), out = slopes.size(1);
    Tensor dx;
    if (x.requires_grad()) {
      dx = at::empty_like(x);
      const TimedPart timed(Part::kProducts, rows * out * in);
      multiply({rows, out, in, read(slopes), read(panels), nullptr, write(dx)});
    }
    if (factors) {
      factors->push_back({x.detach(), slopes});
      return {dx, Tensor(), Tensor()};
    }
    Tensor weight = at::empty({out, in}, x.options()), bias = at::empty({out}, x.options());
    const LinearFactors part{rows, read(x), read(slopes)};
    multiply_factors({&part, 1}, {in, out, 0, out, write(weight), write(bias)});
    return {dx, weight, bias};
  }
};

struct LinearFunction : Function<LinearFunction> {
  static Tensor forward(AutogradContext* context, const Tensor& x, const Tensor&,
                        const Tensor& bias, const Weight& weight, const LinearSlopes& slopes) {
    const LinearOutput output(x, weight, bias);
    const TimedPart timed(Part::kProducts, output.multiplications());
    multiply(output.product);
    context->save_for_backward({x});
    hold(context, slopes);
    return output.y;
  }
  static variable_list backward(AutogradContext* context, const variable_list& slopes) {
    variable_list gradients = held<LinearSlopes>(context).gradients(
        context->get_saved_variables()[0], slopes[0].contiguous());
    gradients.resize(5);
    return gradients;
  }
};

struct LinearReluDropoutFunction : Function<LinearReluDropoutFunction> {
  static Tensor forward(AutogradContext* context, const Tensor& x, const Tensor&,
                        const Tensor& bias, const Weight& weight, const LinearSlopes& slopes,
                        const Dropout& dropout) {
    const LinearOutput output(x, weight, bias);
    const TimedPart timed(Part::kProducts, output.multiplications());
    multiply_relu_dropout(output.product, dropout);
    context->save_for_backward({x, output.y});
    hold(context, std::pair(slopes, dropout.scale));
    return output.y;
  }
  static variable_list backward(AutogradContext* context, const variable_list& slopes) {
    const variable_list saved = context->get_saved_variables();
    const auto& [linear, scale] = held<std::pair<LinearSlopes, float>>(context);
    const Tensor dy = slopes[0].contiguous();
    Tensor slope = at::empty_like(dy);
    {
      const TimedPart timed(Part::kActivations);
      relu_dropout_backward(dy.numel(), scale, read(saved[1]), read(dy), write(slope));
    }
    variable_list gradients = linear.gradients(saved[0], slope);
    gradients.resize(6);
    return gradients;
  }
};

struct AddNormFunction : Function<AddNormFunction> {
  static Tensor forward(AutogradContext* context, const Optional& branch, const Tensor& residual,
                        const Tensor& gain, const Tensor& bias, const Dropout& dropout,
                        bool for_backward) {
    Tensor y = at::empty_like(residual);
    const AddNorm op{residual.size(0), residual.size(1), read(gain), dropout};
    Tensor normalised, inverse;
    if (for_backward) {
      normalised = at::empty_like(residual);
      inverse = at::empty({op.rows}, residual.options());
      context->save_for_backward({gain, normalised, inverse});
      hold(context, std::pair(dropout, branch.has_value()));
    }
    const TimedPart timed(Part::kNorms);
    add_norm_forward(op, read(branch.value_or(Tensor())), read(residual), read(bias), write(y),
                     write(normalised), write(inverse));
    return y;
  }
  static variable_list backward(AutogradContext* context, const variable_list& slopes) {
    const variable_list saved = context->get_saved_variables();
    const auto& [dropout, has_branch] = held<std::pair<Dropout, bool>>(context);
    const Tensor dy = slopes[0].contiguous();
    const AddNorm op{dy.size(0), dy.size(1), read(saved[0]), dropout};
    Tensor residual = at::empty_like(dy);
    Tensor branch = dropout.active() ? at::empty_like(dy) : residual;
    Tensor gain = at::empty({op.width}, dy.options()), bias = at::empty({op.width}, dy.options());
    const TimedPart timed(Part::kNorms);
    add_norm_backward(op, read(saved[1]), read(saved[2]), read(dy),
                      {write(branch), write(residual), write(gain), write(bias)});
    return {has_branch ? branch : Tensor(), residual, gain, bias, Tensor(), Tensor()};
  }
};

struct AddDroppedFunction : Function<AddDroppedFunction> {
  static Tensor forward(AutogradContext* context, const Tensor& branch, const Optional& residual,
                        const Dropout& dropout) {
    Tensor y = at::empty_like(branch);
    add_dropout(branch.numel(), dropout, read(branch), read(residual.value_or(Tensor())), write(y));
    hold(context, std::pair(dropout, residual.has_value()));
    return y;
  }
  static variable_list backward(AutogradContext* context, const variable_list& slopes) {
    const auto& [dropout, has_residual] = held<std::pair<Dropout, bool>>(context);
    const Tensor dy = slopes[0].contiguous();
    Tensor branch = at::empty_like(dy);
    add_dropout(dy.numel(), dropout, read(dy), nullptr, write(branch));
    return {branch, has_residual ? dy : Tensor(), Tensor()};
  }
};

struct EmbedFunction : Function<EmbedFunction> {
  static Embedding op_of(const Tensor& tokens, std::int64_t width, const Tensor& positions,
                         float scale, const Dropout& dropout) {
    const std::int64_t length = positions.defined() ? positions.size(0) : tokens.size(1);
    return {tokens.numel(), width, length, read_integers(tokens), scale, dropout};
  }
  static Tensor forward(AutogradContext* context, const Tensor& tokens, const Tensor& table,
                        const Optional& given, float scale, const Dropout& dropout) {
    const Tensor positions = given.value_or(Tensor());
    const Embedding op = op_of(tokens, table.size(1), positions, scale, dropout);
    Tensor y = at::empty({op.rows, op.width}, table.options());
    embedding_forward(op, read(table), read(positions), write(y));
    context->save_for_backward({tokens, table, positions});
    hold(context, std::pair(scale, dropout));
    return y;
  }
  static variable_list backward(AutogradContext* context, const variable_list& slopes) {
    const variable_list saved = context->get_saved_variables();
    const auto& [scale, dropout] = held<std::pair<float, Dropout>>(context);
    const Tensor dy = slopes[0].contiguous();
    Tensor table = at::zeros_like(saved[1]), positions = zeros_for_gradient(saved[2]);
    embedding_backward(op_of(saved[0], dy.size(1), saved[2], scale, dropout), read(dy),
                       write(table), write(positions));
    return {Tensor(), table, positions, Tensor(), Tensor()};
  }
};

struct TakeRowsFunction : Function<TakeRowsFunction> {
  static Tensor forward(AutogradContext* context, const Tensor& x, const Tensor& numbers) {
    Tensor y = at::empty({numbers.size(0), x.size(1)}, x.options());
    take_rows(y.size(0), y.size(1), read_integers(numbers), read(x), write(y));
    context->save_for_backward({numbers});
    hold(context, x.size(0));
    return y;
  }
  static variable_list backward(AutogradContext* context, const variable_list& slopes) {
    const Tensor numbers = context->get_saved_variables()[0], dy = slopes[0].contiguous();
    Tensor dx = at::zeros({held<std::int64_t>(context), dy.size(1)}, dy.options());
    add_rows(dy.size(0), dy.size(1), read_integers(numbers), read(dy), write(dx));
    return {dx, Tensor()};
  }
};

AttentionShape shape_of(const AttentionSizes& sizes) {
  return {sizes.batch, sizes.heads, sizes.queries, sizes.keys, sizes.head_size};
}

// The values of a bias, or their gradient: [H, 2 * R - 1].
template <class Float>
DistanceBias<Float> distances(Float* values, const ScoreBias& bias) {
  if (!values) return {};
  return {values, (bias.values.size(1) + 1) / 2, read_integers(bias.query_positions),
          read_integers(bias.key_positions)};
}

// Queries, keys and values, or their gradients: all side by side in `q` if `kv` is null, else keys
// and values side by side in `kv`.
template <class Float>
AttentionRows<Float> rows_in(Float* q, Float* kv, const AttentionSizes& sizes) {
  const std::int64_t width = sizes.heads * sizes.head_size;
  if (kv) return {{q, width}, {kv, 2 * width}, {kv + width, 2 * width}};
  return {{q, 3 * width}, {q + width, 3 * width}, {q + 2 * width, 3 * width}};
}

// Self-attention has queries, keys and values in one tensor [B * T, 3 * H * D], and no other.
struct AttentionFunction : Function<AttentionFunction> {
  struct Settings {
    AttentionSizes sizes;
    Dropout dropout;
    ScoreBias bias;  // the values are also an input
  };

  static variable_list forward(AutogradContext* context, const Tensor& q, const Optional& other,
                               const Optional& bias_values, const Settings& settings) {
    const Tensor kv = other.value_or(Tensor()), values = bias_values.value_or(Tensor());
    const auto& [B, H, T, S, D, causal, lengths, keep_weights] = settings.sizes;
    Tensor z = at::empty({B, T, H, D}, q.options());
    Tensor weights = keep_weights ? at::empty({B, H, T, S}, q.options()) : Tensor();
    const AttentionMask mask{causal, read_integers(lengths),
                             distances(read(values), settings.bias)};
    const TimedPart timed(Part::kAttention);
    attention_forward(shape_of(settings.sizes), rows_in(read(q), read(kv), settings.sizes), mask,
                      settings.dropout, write(weights), write(z));
    if (!keep_weights) return {z};
    context->save_for_backward({q, kv, values, weights});
    context->mark_non_differentiable({weights});
    hold(context, settings);
    return {z, weights};
  }
  static variable_list backward(AutogradContext* context, const variable_list& slopes) {
    const variable_list saved = context->get_saved_variables();
    const auto& [sizes, dropout, bias] = held<Settings>(context);
    const Tensor &q = saved[0], &kv = saved[1], dz = slopes[0].contiguous();
    Tensor dq = at::empty_like(q), dkv = kv.defined() ? at::empty_like(kv) : Tensor();
    Tensor dbias = zeros_for_gradient(saved[2]);
    const TimedPart timed(Part::kAttention);
    attention_backward(shape_of(sizes), rows_in(read(q), read(kv), sizes), dropout, read(saved[3]),
                       read(dz),
                       {rows_in(write(dq), write(dkv), sizes), distances(write(dbias), bias)});
    return {dq, dkv, dbias, Tensor()};
  }
};

AttentionResult attend(const Tensor& q, const Tensor& kv, const ScoreBias& bias,
                       AttentionSizes sizes, const Dropout& dropout) {
  sizes.keep_weights |= c10::GradMode::is_enabled();  // gradients need them
  const AttentionFunction::Settings settings{
      sizes,
      dropout,
      // Without the graph of the values, which would be held twice.
      {bias.values.defined() ? bias.values.detach() : Tensor(), bias.query_positions,
       bias.key_positions}};
  const variable_list results =
      AttentionFunction::apply(q, if_defined(kv), if_defined(bias.values), settings);
  return {results[0], results.size() > 1 ? results[1] : Tensor()};
}

struct TurnFunction : Function<TurnFunction> {
  struct Settings {
    Tensor turns;      // [R, D]
    Tensor positions;  // int32 [B, T], or undefined
    TurnSizes sizes;
  };

  static Tensor turned(const Tensor& x, const Settings& settings, bool backwards) {
    const auto& [length, heads, parts, turned] = settings.sizes;
    const std::int64_t D = settings.turns.size(1), width = heads * D;
    const Turning op{x.size(0),           heads, D, length, read_integers(settings.positions),
                     read(settings.turns)};
    Tensor result = x.clone();
    for (std::int64_t part = 0; part < turned; ++part)
      turn_rows(op, {read(x) + part * width, parts * width}, backwards,
                {write(result) + part * width, parts * width});
    return result;
  }
  static Tensor forward(AutogradContext* context, const Tensor& x, const Settings& settings) {
    hold(context, settings);
    return turned(x, settings, false);
  }
  static variable_list backward(AutogradContext* context, const variable_list& slopes) {
    return {turned(slopes[0].contiguous(), held<Settings>(context), true), Tensor()};
  }
};

struct PoolFunction : Function<PoolFunction> {
  struct Settings {
    std::int64_t batch, length, width;
    Tensor lengths;
    std::vector<PoolFeature> features;

    PoolShape shape() const { return {batch, length, width, read_integers(lengths), features}; }
  };

  static Tensor forward(AutogradContext* context, const Tensor& x, const Settings& settings) {
    const auto width = static_cast<std::int64_t>(settings.features.size()) * settings.width;
    Tensor pooled = at::empty({settings.batch, width}, x.options());
    const Tensor places = at::empty({settings.batch, width}, at::kInt);
    pool_forward(settings.shape(), read(x), write(pooled), places.data_ptr<std::int32_t>());
    context->save_for_backward({places});
    hold(context, settings);
    return pooled;
  }
  static variable_list backward(AutogradContext* context, const variable_list& slopes) {
    const Tensor places = context->get_saved_variables()[0], dy = slopes[0].contiguous();
    const auto& settings = held<Settings>(context);
    Tensor dx = at::zeros({settings.batch * settings.length, settings.width}, dy.options());
    pool_backward(settings.shape(), read_integers(places), read(dy), write(dx));
    return {dx, Tensor()};
  }
};

struct CrossEntropyFunction : Function<CrossEntropyFunction> {
  static Tensor forward(AutogradContext* context, const Tensor& logits, const Tensor& targets,
                        std::int32_t ignored, double scale) {
    Tensor slopes = at::empty_like(logits);
    const CrossEntropy op{logits.size(0), logits.size(1), read_integers(targets), ignored};
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

Tensor linear(const Tensor& x, const Weight& weight, const Tensor& bias) {
  return LinearFunction::apply(x, weight.values, bias, weight, LinearSlopes(weight));
}

Tensor linear_relu_dropout(const Tensor& x, const Weight& weight, const Tensor& bias,
                           const Dropout& dropout) {
  return LinearReluDropoutFunction::apply(x, weight.values, bias, weight, LinearSlopes(weight),
                                          dropout);
}

Tensor add_norm(const Tensor& branch, const Tensor& residual, const Tensor& gain,
                const Tensor& bias, const Dropout& dropout) {
  const bool for_backward = c10::GradMode::is_enabled();  // off inside the function
  return AddNormFunction::apply(if_defined(branch), residual, gain, bias, dropout, for_backward);
}

Tensor norm(const Tensor& x, const Tensor& gain, const Tensor& bias) {
  return add_norm({}, x, gain, bias, {});
}

Tensor add_dropped(const Tensor& branch, const Tensor& residual, const Dropout& dropout) {
  if (!dropout.active()) return residual.defined() ? at::add(residual, branch) : branch;
  return AddDroppedFunction::apply(branch, if_defined(residual), dropout);
}

Tensor embed(const Tensor& tokens, const Tensor& table, const Tensor& positions, double scale,
             const Dropout& dropout) {
  return EmbedFunction::apply(tokens, table, if_defined(positions), static_cast<float>(scale),
                              dropout);
}

Tensor take_rows(const Tensor& x, const Tensor& numbers) {
  return TakeRowsFunction::apply(x, numbers);
}

AttentionResult self_attention(const Tensor& qkv, const ScoreBias& bias,
                               const AttentionSizes& sizes, const Dropout& dropout) {
  return attend(qkv, {}, bias, sizes, dropout);
}

AttentionResult cross_attention(const Tensor& q, const Tensor& kv, const ScoreBias& bias,
                                const AttentionSizes& sizes, const Dropout& dropout) {
  return attend(q, kv, bias, sizes, dropout);
}

Tensor turn(const Tensor& x, const Tensor& turns, const Tensor& positions, const TurnSizes& sizes) {
  return TurnFunction::apply(x, TurnFunction::Settings{turns, positions, sizes});
}

Tensor pool(const Tensor& x, std::int64_t batch, const Tensor& lengths,
            std::vector<PoolFeature> features) {
  return PoolFunction::apply(
      x, PoolFunction::Settings{batch, x.size(0) / batch, x.size(1), lengths, std::move(features)});
}

Tensor cross_entropy_sum(const Tensor& logits, const Tensor& targets, std::int32_t ignored,
                         double scale) {
  return CrossEntropyFunction::apply(logits, targets, ignored, scale);
}

}  // namespace headway
