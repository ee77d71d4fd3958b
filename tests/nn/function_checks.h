// Compares a fused function with plain tensor operations: values and gradients.
#pragma once

#include <ATen/ATen.h>
#include <torch/csrc/autograd/autograd.h>

#include <catch2/catch_test_macros.hpp>

#include "lib/nn/kernels/dropout.h"
#include "tests/nn/support.h"

namespace headway::testing {

// Dropout's factors as a tensor, for the plain side.
at::Tensor factors(const Dropout& dropout, at::IntArrayRef shape);
Dropout some_dropout(double probability);
at::Tensor leaf(at::IntArrayRef shape, std::uint64_t seed);

// The same inputs through both; the outputs and the gradients of a weighted sum of them must agree.
template <class Ours, class Plain>
void check_same(const torch::autograd::variable_list& inputs, const Ours& ours,
                const Plain& plain) {
  const at::Tensor mine = ours(inputs), theirs = plain(inputs);
  REQUIRE(mine.sizes() == theirs.sizes());
  CHECK(largest_difference(mine, theirs) < 2e-5);
  const at::Tensor weights = draw(mine.sizes(), 99);
  torch::autograd::variable_list with_gradients;
  for (const at::Tensor& input : inputs) {
    if (input.requires_grad()) with_gradients.push_back(input);
  }
  const auto slopes = torch::autograd::grad({(mine * weights).sum()}, with_gradients);
  const auto expected = torch::autograd::grad({(theirs * weights).sum()}, with_gradients);
  for (std::size_t i = 0; i < slopes.size(); ++i) {
    INFO("gradient of input " << i);
    CHECK(largest_difference(slopes[i], expected[i]) < 1e-4);
  }
}

}  // namespace headway::testing
