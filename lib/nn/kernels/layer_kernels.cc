#include "lib/nn/kernels/layer_kernels.h"

#include <algorithm>
#include <cmath>

#include "lib/nn/kernels/floats16.h"

namespace headway {

namespace {

// Calls part(i, count) for the columns of a row, sixteen at a time; `count` is fewer in the last.
template <class Part>
HEADWAY_INLINE void by_sixteen(std::int64_t width, const Part& part) {
  std::int64_t i = 0;
  for (; i + kFloats16 <= width; i += kFloats16) part(i, kFloats16);
  if (i < width) part(i, width - i);
}

HEADWAY_INLINE Floats16 load_up_to(const float* from, std::int64_t count) {
  return count == kFloats16 ? load16(from) : load_some(from, count);
}
HEADWAY_INLINE void store_up_to(float* to, Floats16 floats, std::int64_t count) {
  if (count == kFloats16) return store16(to, floats);
  store_some(to, floats, count);
}

}  // namespace

void add_norm_forward(const AddNorm& op, const float* branch, const float* residual,
                      const float* bias, float* y, float* normalised, float* inverse_deviation) {
  vectorised([=]() HEADWAY_INLINE_LAMBDA {
    const std::int64_t d = op.width;
    const Dropout dropout = op.dropout;
    for (std::int64_t row = 0; row < op.rows; ++row) {
      const float* const in = branch ? branch + row * d : nullptr;
      const float* const base = residual + row * d;
      float* const out = y + row * d;
      const auto first = static_cast<std::uint32_t>(row * d);
      Floats16 sums = {};
      by_sixteen(d, [&](std::int64_t i, std::int64_t count) HEADWAY_INLINE_LAMBDA {
        Floats16 x = load_up_to(base + i, count);
        if (in) {
          Floats16 added = load_up_to(in + i, count);
          if (dropout.active()) added *= factors16(dropout, first + static_cast<std::uint32_t>(i));
          x += added;
        }
        store_up_to(out + i, x, count);
        sums += x;
      });
      const float mean = sum_of(sums) / static_cast<float>(d);
      Floats16 squares = {};
      by_sixteen(d, [&](std::int64_t i, std::int64_t count) HEADWAY_INLINE_LAMBDA {
        Floats16 x = load_up_to(out + i, count) - mean;
        if (count < kFloats16) x = first_of(x, count);
        squares += x * x;
      });
      const float inverse = 1 / std::sqrt(sum_of(squares) / static_cast<float>(d) + kNormEpsilon);
      float* const kept = normalised ? normalised + row * d : nullptr;
      if (kept) inverse_deviation[row] = inverse;
      by_sixteen(d, [&](std::int64_t i, std::int64_t count) HEADWAY_INLINE_LAMBDA {
        const Floats16 x = (load_up_to(out + i, count) - mean) * inverse;
        if (kept) store_up_to(kept + i, x, count);
        store_up_to(out + i, x * load_up_to(op.gain + i, count) + load_up_to(bias + i, count),
                    count);
      });
    }
  });
}

void add_norm_backward(const AddNorm& op, const float* normalised, const float* inverse_deviation,
                       const float* dy, const AddNormGradients& gradients) {
  vectorised([=]() HEADWAY_INLINE_LAMBDA {
    const std::int64_t d = op.width;
    const Dropout dropout = op.dropout;
    std::fill_n(gradients.gain, d, 0.0F);
    std::fill_n(gradients.bias, d, 0.0F);
    for (std::int64_t row = 0; row < op.rows; ++row) {
      const float* const x = normalised + row * d;
      const float* const slope = dy + row * d;
      Floats16 means = {}, alongs = {};
      by_sixteen(d, [&](std::int64_t i, std::int64_t count) HEADWAY_INLINE_LAMBDA {
        const Floats16 slopes = load_up_to(slope + i, count), values = load_up_to(x + i, count);
        const Floats16 scaled = slopes * load_up_to(op.gain + i, count);
        means += scaled;
        alongs += scaled * values;
        float* const gain = gradients.gain + i;
        float* const bias = gradients.bias + i;
        store_up_to(gain, load_up_to(gain, count) + slopes * values, count);
        store_up_to(bias, load_up_to(bias, count) + slopes, count);
      });
      const float mean = sum_of(means) / static_cast<float>(d);
      const float along = sum_of(alongs) / static_cast<float>(d);
      const float inverse = inverse_deviation[row];
      const auto first = static_cast<std::uint32_t>(row * d);
      by_sixteen(d, [&](std::int64_t i, std::int64_t count) HEADWAY_INLINE_LAMBDA {
        const Floats16 scaled = load_up_to(slope + i, count) * load_up_to(op.gain + i, count);
        const Floats16 out = inverse * (scaled - mean - load_up_to(x + i, count) * along);
        store_up_to(gradients.residual + row * d + i, out, count);
        if (gradients.branch == gradients.residual) return;
        store_up_to(gradients.branch + row * d + i,
                    out * factors16(dropout, first + static_cast<std::uint32_t>(i)), count);
      });
    }
  });
}

void add_dropout(std::int64_t count, const Dropout& dropout, const float* branch,
                 const float* residual, float* y) {
  vectorised([=]() HEADWAY_INLINE_LAMBDA {
    const Dropout mask = dropout;
    const float* __restrict in = branch;
    const float* __restrict base = residual;
    float* __restrict out = y;
    if (base) {
      for (std::int64_t i = 0; i < count; ++i)
        out[i] = base[i] + in[i] * mask.factor(static_cast<std::uint32_t>(i));
    } else {
      for (std::int64_t i = 0; i < count; ++i)
        out[i] = in[i] * mask.factor(static_cast<std::uint32_t>(i));
    }
  });
}

void relu_dropout_backward(std::int64_t count, float scale, const float* y, const float* dy,
                           float* dx) {
  vectorised([=]() HEADWAY_INLINE_LAMBDA {
    const float* __restrict value = y;
    const float* __restrict slope = dy;
    float* __restrict out = dx;
    for (std::int64_t i = 0; i < count; ++i) out[i] = value[i] > 0 ? slope[i] * scale : 0;
  });
}

void embedding_forward(const Embedding& op, const float* table, const float* positions, float* y) {
  vectorised([=]() HEADWAY_INLINE_LAMBDA {
    const std::int64_t d = op.width;
    const Dropout dropout = op.dropout;
    for (std::int64_t row = 0; row < op.rows; ++row) {
      const float* __restrict token = table + op.tokens[row] * d;
      float* __restrict out = y + row * d;
      if (positions) {
        const float* __restrict position = positions + row % op.length * d;
        for (std::int64_t i = 0; i < d; ++i) out[i] = token[i] * op.scale + position[i];
      } else {
        for (std::int64_t i = 0; i < d; ++i) out[i] = token[i] * op.scale;
      }
      if (!dropout.active()) continue;
      const auto first = static_cast<std::uint32_t>(row * d);
      for (std::int64_t i = 0; i < d; ++i)
        out[i] *= dropout.factor(first + static_cast<std::uint32_t>(i));
    }
  });
}

void embedding_backward(const Embedding& op, const float* dy, float* dtable, float* dpositions) {
  vectorised([=]() HEADWAY_INLINE_LAMBDA {
    const std::int64_t d = op.width;
    const Dropout dropout = op.dropout;
    for (std::int64_t row = 0; row < op.rows; ++row) {
      const float* __restrict slope = dy + row * d;
      float* __restrict out = dtable + op.tokens[row] * d;
      const auto first = static_cast<std::uint32_t>(row * d);
      for (std::int64_t i = 0; i < d; ++i) {
        const float kept =
            dropout.active() ? dropout.factor(first + static_cast<std::uint32_t>(i)) : 1;
        out[i] += slope[i] * kept * op.scale;
      }
      if (!dpositions) continue;
      float* __restrict position = dpositions + row % op.length * d;
      for (std::int64_t i = 0; i < d; ++i) {
        const float kept =
            dropout.active() ? dropout.factor(first + static_cast<std::uint32_t>(i)) : 1;
        position[i] += slope[i] * kept;
      }
    }
  });
}

void take_rows(std::int64_t rows, std::int64_t width, const std::int32_t* numbers,
               const float* from, float* to) {
  for (std::int64_t row = 0; row < rows; ++row)
    std::copy_n(from + numbers[row] * width, width, to + row * width);
}

void add_rows(std::int64_t rows, std::int64_t width, const std::int32_t* numbers, const float* from,
              float* to) {
  vectorised([=]() HEADWAY_INLINE_LAMBDA {
    for (std::int64_t row = 0; row < rows; ++row) {
      const float* __restrict in = from + row * width;
      float* __restrict out = to + numbers[row] * width;
      for (std::int64_t i = 0; i < width; ++i) out[i] += in[i];
    }
  });
}

double cross_entropy(const CrossEntropy& op, const float* logits, float scale, float* slopes) {
  return vectorised([=]() HEADWAY_INLINE_LAMBDA {
    double total = 0;
    const std::int64_t classes = op.classes;
    for (std::int64_t row = 0; row < op.rows; ++row) {
      const float* in = logits + row * classes;
      float* out = slopes ? slopes + row * classes : nullptr;
      const std::int32_t target = op.targets[row];
      if (target == op.ignored) {
        if (out) std::fill_n(out, classes, 0.0F);
        continue;
      }
      const float highest = *std::max_element(in, in + classes);
      float sum = 0;
      for (std::int64_t c = 0; c < classes; ++c) sum += vector_exp(in[c] - highest);
      total += std::log(static_cast<double>(sum)) + highest - in[target];
      if (!out) continue;
      for (std::int64_t c = 0; c < classes; ++c) out[c] = scale * vector_exp(in[c] - highest) / sum;
      out[target] -= scale;
    }
    return total;
  });
}

}  // namespace headway
