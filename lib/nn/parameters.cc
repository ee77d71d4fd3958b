#include "lib/nn/parameters.h"

#include <ATen/ops/zeros.h>

#include <algorithm>
#include <cmath>
#include <numbers>

#include "lib/base/digest.h"

namespace headway {
namespace {

// Aligns tensors to cache lines, so that two threads never write to the same one.
constexpr std::int64_t kAlign = 16;

void draw_uniform(std::span<float> values, double limit, RandomStream& random) {
  for (float& value : values) value = static_cast<float>((random.uniform() * 2 - 1) * limit);
}

void draw_normal(std::span<float> values, double deviation, RandomStream& random) {
  for (float& value : values) {  // Box-Muller; one of the two numbers is used
    const double radius = std::sqrt(-2 * std::log(1 - random.uniform()));
    value =
        static_cast<float>(deviation * radius * std::cos(2 * std::numbers::pi * random.uniform()));
  }
}

void draw_start(const ParameterShape& shape, std::span<float> values, RandomStream random) {
  using Start = ParameterShape::Start;
  const double width = static_cast<double>(shape.shape.back());
  switch (shape.start) {
    case Start::kZero:
      return std::fill(values.begin(), values.end(), 0.0F);
    case Start::kOne:
      return std::fill(values.begin(), values.end(), 1.0F);
    case Start::kXavier: {
      const std::int64_t rows = shape.shape.front() / shape.stacked;
      return draw_uniform(values, std::sqrt(6 / (width + static_cast<double>(rows))), random);
    }
    case Start::kEmbedding:
      return draw_normal(values, 1 / std::sqrt(width), random);
    case Start::kNormal:
      return draw_normal(values, shape.deviation, random);
  }
}

}  // namespace

std::int64_t ParameterShape::count() const {
  std::int64_t product = 1;
  for (const std::int64_t size : shape) product *= size;
  return product;
}

Parameters::Parameters(std::vector<ParameterShape> shapes) : shapes_(std::move(shapes)) {
  std::int64_t total = 0;
  for (const ParameterShape& shape : shapes_) {
    offsets_.push_back(total);
    total += (shape.count() + kAlign - 1) / kAlign * kAlign;
  }
  flat_ = at::zeros({total}, at::kFloat);
}

std::int64_t Parameters::count() const {
  std::int64_t sum = 0;
  for (const ParameterShape& shape : shapes_) sum += shape.count();
  return sum;
}

ParameterMap Parameters::views(bool with_gradients) const {
  ParameterMap views;
  for (std::size_t i = 0; i < shapes_.size(); ++i) {
    at::Tensor view = flat_.narrow(0, offsets_[i], shapes_[i].count()).view(shapes_[i].shape);
    views.emplace(shapes_[i].name, view.detach().set_requires_grad(with_gradients));
  }
  return views;
}

void Parameters::draw(std::uint64_t seed) {
  auto* values = flat_.data_ptr<float>();
  for (std::size_t i = 0; i < shapes_.size(); ++i)
    draw_start(shapes_[i], {values + offsets_[i], static_cast<std::size_t>(shapes_[i].count())},
               RandomStream(seed, {digest_of(shapes_[i].name).number()}));
}

Parameters Parameters::copy() const {
  Parameters copied = *this;
  copied.flat_ = flat_.clone();
  return copied;
}

void Parameters::add_to(TensorFile& file) const {
  const auto* values = flat_.data_ptr<float>();
  for (std::size_t i = 0; i < shapes_.size(); ++i)
    file.arrays[shapes_[i].name] = Array::of(
        shapes_[i].shape,
        std::span<const float>(values + offsets_[i], static_cast<std::size_t>(shapes_[i].count())));
}

void Parameters::read_from(const TensorFile& file) {
  auto* values = flat_.data_ptr<float>();
  for (std::size_t i = 0; i < shapes_.size(); ++i) {
    const Array& array = file.at(shapes_[i].name, ElementType::kF32, shapes_[i].shape);
    std::copy_n(array.bytes.data(), array.bytes.size(),
                reinterpret_cast<char*>(values + offsets_[i]));
  }
}

}  // namespace headway
