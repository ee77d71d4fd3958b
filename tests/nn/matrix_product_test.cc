// Products with packed weights against plain loops, on every instruction set of this processor.
#include "lib/nn/kernels/matrix_product.h"

#include <catch2/catch_test_macros.hpp>
#include <cmath>
#include <vector>

#include "lib/nn/kernels/attention_kernel.h"
#include "lib/numerics/random.h"

namespace headway::testing {
namespace {

using Floats = std::vector<float>;

Floats drawn(std::int64_t count, std::uint64_t seed) {
  RandomStream random(seed);
  Floats values(static_cast<std::size_t>(count));
  for (float& value : values) value = static_cast<float>(random.uniform()) - 0.5F;
  return values;
}

std::vector<InstructionSet> sets_here() {
  std::vector<InstructionSet> sets = {InstructionSet::kAny};
  if (instruction_set() >= InstructionSet::kV3) sets.push_back(InstructionSet::kV3);
  if (instruction_set() >= InstructionSet::kV4) sets.push_back(InstructionSet::kV4);
  return sets;
}

double distance_from(const Floats& some, const std::vector<double>& others) {
  REQUIRE(some.size() == others.size());
  double largest = 0;
  for (std::size_t i = 0; i < some.size(); ++i) {
    REQUIRE(std::isfinite(some[i]));  // it is written
    largest = std::max(largest, std::abs(static_cast<double>(some[i]) - others[i]));
  }
  return largest;
}

struct Sizes {
  std::int64_t rows, inner, columns;
};
// Less and more than a tile, a panel and a block of rows; none at all.
const Sizes kSizes[] = {{1, 1, 1},    {5, 7, 3},     {14, 16, 32}, {13, 8, 33}, {31, 40, 64},
                        {28, 3, 100}, {300, 20, 70}, {9, 0, 12},   {0, 4, 5},   {6, 4, 0},
                        {15, 129, 5}, {3, 24, 16},   {2, 8, 47}};

struct Layer {
  Sizes sizes;
  Floats in, weight, bias;  // [rows, inner], [columns, inner], [columns]
  Floats panels;            // of the weight's transpose

  explicit Layer(const Sizes& of)
      : sizes(of),
        in(drawn(of.rows * of.inner, 1)),
        weight(drawn(of.columns * of.inner, 2)),
        bias(drawn(of.columns, 3)),
        panels(static_cast<std::size_t>(panels_size(of.inner, of.columns)), NAN) {
    pack_transposed_panels(of.inner, of.columns, weight.data(), panels.data());
  }
  LinearProduct product(Floats& out) const {
    out.assign(static_cast<std::size_t>(sizes.rows * sizes.columns), NAN);
    return {sizes.rows,    sizes.inner, sizes.columns, in.data(),
            panels.data(), bias.data(), out.data()};
  }
  std::vector<double> expected() const {
    std::vector<double> out;
    for (std::int64_t row = 0; row < sizes.rows; ++row) {
      for (std::int64_t column = 0; column < sizes.columns; ++column) {
        double sum = bias[static_cast<std::size_t>(column)];
        for (std::int64_t k = 0; k < sizes.inner; ++k)
          sum += static_cast<double>(in[static_cast<std::size_t>(row * sizes.inner + k)]) *
                 static_cast<double>(weight[static_cast<std::size_t>(column * sizes.inner + k)]);
        out.push_back(sum);
      }
    }
    return out;
  }
};

TEST_CASE("products with packed weights are those of plain loops") {
  for (const Sizes& sizes : kSizes) {
    const Layer layer(sizes);
    const std::vector<double> expected = layer.expected();
    for (const InstructionSet set : sets_here()) {
      CAPTURE(sizes.rows, sizes.inner, sizes.columns, static_cast<int>(set));
      Floats out;
      multiply(layer.product(out), set);
      CHECK(distance_from(out, expected) < 1e-5);
    }
  }
}

TEST_CASE("relu lets a NaN through, so that a broken training is noticed") {
  Layer layer({5, 7, 3});
  layer.in[0] = NAN;
  for (const InstructionSet set : sets_here()) {
    Floats out;
    multiply_relu_dropout(layer.product(out), {}, set);
    CHECK(std::isnan(out[0]));
    CHECK(std::isfinite(out[3]));
  }
}

TEST_CASE("both ways to pack a matrix give the same panels") {
  for (const Sizes& sizes : kSizes) {
    CAPTURE(sizes.inner, sizes.columns);
    const Layer layer(sizes);
    Floats transposed(layer.weight.size()), panels(layer.panels.size(), NAN);  // [inner, columns]
    for (std::int64_t c = 0; c < sizes.columns; ++c) {
      for (std::int64_t k = 0; k < sizes.inner; ++k)
        transposed[static_cast<std::size_t>(k * sizes.columns + c)] =
            layer.weight[static_cast<std::size_t>(c * sizes.inner + k)];
    }
    pack_panels(sizes.inner, sizes.columns, transposed.data(), panels.data());
    CHECK(panels == layer.panels);
  }
}

TEST_CASE("relu and dropout of a product count the elements of the whole matrix") {
  const Dropout dropout{.threshold = 1'500'000'000, .scale = 1.5F, .key_low = 3, .key_high = 9};
  for (const Dropout& mask : {Dropout(), dropout}) {
    for (const Sizes& sizes : kSizes) {
      const Layer layer(sizes);
      std::vector<double> expected = layer.expected();
      for (std::size_t i = 0; i < expected.size(); ++i)
        expected[i] = std::max(0.0, expected[i]) *
                      (mask.active() ? mask.factor(static_cast<std::uint32_t>(i)) : 1);
      for (const InstructionSet set : sets_here()) {
        CAPTURE(sizes.rows, sizes.inner, sizes.columns, static_cast<int>(set));
        Floats out;
        multiply_relu_dropout(layer.product(out), mask, set);
        CHECK(distance_from(out, expected) < 2e-5);
      }
    }
  }
}

// The gradients of a layer's weight and bias from its factors, in two parts.
struct Gradient {
  Floats weight, bias;
};
Gradient gradient_of(const Layer& layer, const Floats& slopes, std::int64_t divided,
                     std::int64_t outputs_at_once, InstructionSet set) {
  const auto& [rows, in, out] = layer.sizes;
  Gradient gradient{Floats(static_cast<std::size_t>(in * out), NAN),
                    Floats(static_cast<std::size_t>(out), NAN)};
  const LinearFactors parts[] = {
      {divided, layer.in.data(), slopes.data()},
      {rows - divided, layer.in.data() + divided * in, slopes.data() + divided * out}};
  for (std::int64_t first = 0; first < out; first += outputs_at_once)
    multiply_factors(parts,
                     {in, out, first, std::min(out, first + outputs_at_once),
                      gradient.weight.data(), gradient.bias.data()},
                     set);
  return gradient;
}

TEST_CASE("the gradient of a weight is the product of its factors, however it is divided") {
  for (const Sizes& sizes : kSizes) {
    const Layer layer(sizes);
    const auto& [rows, in, out] = sizes;
    const Floats slopes = drawn(rows * out, 4);
    std::vector<double> weight(static_cast<std::size_t>(in * out));
    std::vector<double> bias(static_cast<std::size_t>(out));
    for (std::int64_t row = 0; row < rows; ++row) {
      for (std::int64_t o = 0; o < out; ++o) {
        const double slope = slopes[static_cast<std::size_t>(row * out + o)];
        bias[static_cast<std::size_t>(o)] += slope;
        for (std::int64_t i = 0; i < in; ++i)
          weight[static_cast<std::size_t>(o * in + i)] +=
              slope * static_cast<double>(layer.in[static_cast<std::size_t>(row * in + i)]);
      }
    }
    for (const InstructionSet set : sets_here()) {
      CAPTURE(rows, in, out, static_cast<int>(set));
      const Gradient whole = gradient_of(layer, slopes, 0, std::max<std::int64_t>(1, out), set);
      CHECK(distance_from(whole.weight, weight) < 5e-5);
      CHECK(distance_from(whole.bias, bias) < 5e-5);
      const Gradient divided = gradient_of(layer, slopes, rows / 3, 10, set);
      CHECK(divided.weight == whole.weight);
      CHECK(divided.bias == whole.bias);
    }
  }
}

// ---- the same bits on all processors with FMA ----

bool has_two_fma_sets() {
  return instruction_set() == InstructionSet::kV4;
}

TEST_CASE("products have the same bits with AVX2 and AVX-512") {
  if (!has_two_fma_sets()) SKIP("this processor has no AVX-512");
  for (const Sizes& sizes : kSizes) {
    CAPTURE(sizes.rows, sizes.inner, sizes.columns);
    const Layer layer(sizes);
    const Floats slopes = drawn(sizes.rows * sizes.columns, 4);
    Floats narrow, wide;
    multiply(layer.product(narrow), InstructionSet::kV3);
    multiply(layer.product(wide), InstructionSet::kV4);
    CHECK(narrow == wide);
    const Gradient with_narrow = gradient_of(layer, slopes, 0, 100, InstructionSet::kV3);
    const Gradient with_wide = gradient_of(layer, slopes, 0, 100, InstructionSet::kV4);
    CHECK(with_narrow.weight == with_wide.weight);
    CHECK(with_narrow.bias == with_wide.bias);
  }
}

struct AttentionOutcome {
  Floats z, weights, dq, dk, dv;

  bool operator==(const AttentionOutcome&) const = default;
};
AttentionOutcome attention_with(InstructionSet set, const AttentionShape& shape) {
  const auto& [B, H, T, S, D] = shape;
  const std::int64_t width = H * D;
  const Floats q = drawn(B * T * width, 1), k = drawn(B * S * width, 2),
               v = drawn(B * S * width, 3), dz = drawn(B * T * width, 4);
  const Dropout dropout{.threshold = 400'000'000, .scale = 1.1F, .key_low = 3, .key_high = 9};
  const auto zeros = [](std::int64_t count) { return Floats(static_cast<std::size_t>(count)); };
  AttentionOutcome outcome{zeros(B * T * width), zeros(B * H * T * S), zeros(B * T * width),
                           zeros(B * S * width), zeros(B * S * width)};
  const AttentionInputs inputs{{q.data(), width}, {k.data(), width}, {v.data(), width}};
  attention_forward(shape, inputs, {T == S, nullptr, {}}, dropout, outcome.weights.data(),
                    outcome.z.data(), set);
  attention_backward(
      shape, inputs, dropout, outcome.weights.data(), dz.data(),
      {{{outcome.dq.data(), width}, {outcome.dk.data(), width}, {outcome.dv.data(), width}}, {}},
      set);
  return outcome;
}

TEST_CASE("attention has the same bits with AVX2 and AVX-512") {
  if (!has_two_fma_sets()) SKIP("this processor has no AVX-512");
  for (const AttentionShape& shape :
       {AttentionShape{2, 3, 7, 7, 32}, AttentionShape{1, 2, 4, 9, 16},
        AttentionShape{2, 1, 40, 40, 5}, AttentionShape{1, 1, 1, 70, 8},
        AttentionShape{1, 2, 64, 40, 8}, AttentionShape{1, 1, 28, 4, 8}}) {
    CAPTURE(shape.queries, shape.keys, shape.head_size);
    CHECK(attention_with(InstructionSet::kV3, shape) == attention_with(InstructionSet::kV4, shape));
  }
}

TEST_CASE("every query sees all keys, however many more queries than keys there are") {
  for (const InstructionSet set : sets_here()) {
    for (const std::int64_t keys : {1, 4, 40}) {
      for (const std::int64_t queries : {21, 28, 64}) {
        CAPTURE(static_cast<int>(set), keys, queries);
        const Floats& weights = attention_with(set, {1, 1, queries, keys, 8}).weights;
        CHECK(std::ranges::none_of(weights, [](float weight) { return weight == 0; }));
      }
    }
  }
}

}  // namespace
}  // namespace headway::testing
