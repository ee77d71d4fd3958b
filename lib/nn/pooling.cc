#include "lib/nn/pooling.h"

#include <ATen/ops/empty.h>
#include <ATen/ops/zeros.h>

#include "lib/nn/custom_function.h"

namespace headway {
namespace {

struct PoolHeld {
  std::int64_t batch, length, width;
  at::Tensor lengths;
  std::vector<PoolFeature> features;

  PoolShape shape() const {
    return {batch, length, width, lengths.defined() ? lengths.data_ptr<std::int32_t>() : nullptr,
            features};
  }
};

struct PoolFunction : torch::autograd::Function<PoolFunction> {
  static at::Tensor forward(torch::autograd::AutogradContext* context, const at::Tensor& x,
                            const PoolHeld& how) {
    const auto features = static_cast<std::int64_t>(how.features.size());
    at::Tensor pooled = at::empty({how.batch, features * how.width}, x.options());
    at::Tensor places = at::empty({how.batch, features * how.width}, at::kInt);
    pool_forward(how.shape(), read(x), write(pooled), places.data_ptr<std::int32_t>());
    context->save_for_backward({places});
    hold(context, how);
    return pooled;
  }
  static torch::autograd::variable_list backward(torch::autograd::AutogradContext* context,
                                                 const torch::autograd::variable_list& slopes) {
    const at::Tensor places = context->get_saved_variables()[0];
    const auto how = held<PoolHeld>(context);
    const at::Tensor dy = slopes[0].contiguous();
    at::Tensor dx = at::zeros({how.batch * how.length, how.width}, dy.options());
    pool_backward(how.shape(), places.data_ptr<std::int32_t>(), read(dy), write(dx));
    return {dx, at::Tensor()};
  }
};

}  // namespace

at::Tensor pool(const at::Tensor& x, std::int64_t batch, const at::Tensor& lengths,
                std::vector<PoolFeature> features) {
  return PoolFunction::apply(
      x, PoolHeld{batch, x.size(0) / batch, x.size(1), lengths, std::move(features)});
}

}  // namespace headway
