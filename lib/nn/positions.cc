#include "lib/nn/positions.h"

#include <ATen/ops/cat.h>
#include <ATen/ops/empty.h>
#include <ATen/ops/index_select.h>

#include <algorithm>
#include <cmath>
#include <limits>

namespace headway {
namespace {

// "positions.learned"; of an encoder and a decoder "encoder.positions.learned", unless they share
// it, because the data says where both are.
std::string learned_name(const TransformerConfig& config, PositionUse use) {
  if (config.kind != ModelKind::kEncoderDecoder || config.positions == PositionSource::kData)
    return "positions.learned";
  return use == PositionUse::kEncoder ? "encoder.positions.learned" : "decoder.positions.learned";
}

std::string relative_name(const TransformerConfig& config, PositionUse use) {
  if (config.kind != ModelKind::kEncoderDecoder) return "positions.relative";
  constexpr const char* kNames[] = {"encoder.positions.relative", "decoder.positions.relative",
                                    "decoder.positions.cross"};
  return kNames[static_cast<std::size_t>(use)];
}

std::vector<PositionUse> uses_of(const TransformerConfig& config) {
  std::vector<PositionUse> uses;
  if (config.has_encoder()) uses.push_back(PositionUse::kEncoder);
  if (config.has_decoder()) uses.push_back(PositionUse::kDecoder);
  if (uses.size() == 2 && config.positions == PositionSource::kData)
    uses.push_back(PositionUse::kCross);
  return uses;
}

// [length, width]: the functions of pos / 10000^(2i / width), alternating.
at::Tensor waves(std::int64_t length, std::int64_t width, double (*even)(double),
                 double (*odd)(double)) {
  at::Tensor result = at::empty({length, width}, at::kFloat);
  auto* out = result.data_ptr<float>();
  for (std::int64_t position = 0; position < length; ++position) {
    for (std::int64_t i = 0; i < width; ++i) {
      const std::int64_t even_i = i - i % 2;  // two neighbours share a wave
      const double wave =
          std::pow(10000.0, static_cast<double>(even_i) / static_cast<double>(width));
      const double angle = static_cast<double>(position) / wave;
      *out++ = static_cast<float>(i % 2 == 0 ? even(angle) : odd(angle));
    }
  }
  return result;
}

// Extends learned positions to `longest`: repeats the last trained one, or uses initial values that
// were never trained.
at::Tensor continued(const TransformerConfig& config, const std::string& name,
                     const at::Tensor& learned, std::int64_t longest) {
  const std::int64_t trained = learned.size(0), width = learned.size(1);
  if (longest <= trained) return learned;
  if (config.beyond == Beyond::kClamp) {
    const at::Tensor last = learned.narrow(0, trained - 1, 1);
    return at::cat({learned, last.expand({longest - trained, width})}, 0);
  }
  Parameters never({{name + ".beyond",
                     {longest - trained, width},
                     ParameterShape::Start::kNormal,
                     1,
                     config.position_scale}});
  never.draw(config.position_seed);
  return at::cat({learned, never.views(false).begin()->second}, 0);
}

}  // namespace

at::Tensor sinusoidal_positions(std::int64_t length, std::int64_t width) {
  return waves(length, width, std::sin, std::cos);
}

at::Tensor rotary_turns(std::int64_t length, std::int64_t size) {
  return waves(length, size, std::cos, std::sin);
}

std::vector<AlibiHead> alibi_heads(std::int64_t heads, AlibiShape shape) {
  std::vector<AlibiHead> all;
  const std::int64_t back = heads / 2;
  for (std::int64_t head = 0; head < heads; ++head) {
    const auto number = static_cast<double>(head);
    if (shape == AlibiShape::kSymmetric) {
      all.push_back({std::exp2(-8 * (number + 1) / static_cast<double>(heads)), true, true});
    } else if (head < back) {
      all.push_back({std::exp2(-number), true, false});
    } else {
      all.push_back({std::exp2(-2 * (number - static_cast<double>(back))), false, true});
    }
  }
  return all;
}

at::Tensor alibi_bias(const std::vector<AlibiHead>& heads, std::int64_t reach) {
  at::Tensor bias = at::empty({static_cast<std::int64_t>(heads.size()), 2 * reach - 1}, at::kFloat);
  auto* out = bias.data_ptr<float>();
  for (const AlibiHead& head : heads) {
    for (std::int64_t distance = 1 - reach; distance < reach; ++distance) {
      const bool seen = distance == 0 || (distance < 0 ? head.back : head.ahead);
      *out++ = seen ? static_cast<float>(-head.slope * static_cast<double>(std::abs(distance)))
                    : -std::numeric_limits<float>::infinity();
    }
  }
  return bias;
}

std::int64_t relative_bucket(std::int64_t distance, std::int64_t buckets, std::int64_t farthest,
                             bool causal) {
  const std::int64_t each_way = causal ? buckets : buckets / 2, exact = each_way / 2;
  if (causal && distance > 0) return 0;  // never seen
  const std::int64_t first = distance > 0 ? each_way : 0;
  const std::int64_t far = std::abs(distance);
  if (far < exact) return first + far;
  const double share = std::log(static_cast<double>(far) / static_cast<double>(exact)) /
                       std::log(static_cast<double>(farthest) / static_cast<double>(exact));
  const auto shared = static_cast<std::int64_t>(share * static_cast<double>(each_way - exact));
  return first + std::min(exact + shared, each_way - 1);
}

void declare_positions(const TransformerConfig& config, std::vector<ParameterShape>& shapes) {
  using Start = ParameterShape::Start;
  std::vector<std::string> declared;
  for (const PositionUse use : uses_of(config)) {
    if (config.encoding == Encoding::kLearned && use != PositionUse::kCross) {
      const std::string name = learned_name(config, use);
      if (!declared.empty() && declared.back() == name) continue;  // shared
      declared.push_back(name);
      shapes.push_back(
          {name, {config.trained_to, config.d_model}, Start::kNormal, 1, config.position_scale});
    } else if (config.encoding == Encoding::kRelative) {
      shapes.push_back(
          {relative_name(config, use), {config.buckets, config.n_heads}, Start::kZero});
    }
  }
}

Positions::Positions(const TransformerConfig& config, PositionUse use,
                     const ParameterMap& parameters, std::int64_t longest) {
  const std::vector<PositionUse> uses = uses_of(config);
  if (std::ranges::find(uses, use) == uses.end()) return;
  const bool causal = use == PositionUse::kDecoder;
  switch (config.encoding) {
    case Encoding::kSinusoidal:
      if (use != PositionUse::kCross) added_ = sinusoidal_positions(longest, config.d_model);
      break;
    case Encoding::kLearned: {
      if (use == PositionUse::kCross) break;
      const std::string name = learned_name(config, use);
      added_ = parameters.at(name);
      if (longest <= added_.size(0)) break;
      continue_ = [config, name, learned = added_, longest] {
        return continued(config, name, learned, longest);
      };
      if (added_.requires_grad()) break;
      added_ = continue_();
      continue_ = nullptr;
      break;
    }
    case Encoding::kNone:
      break;
    case Encoding::kRope:
      turns_ = rotary_turns(longest, config.head_size());
      break;
    case Encoding::kAlibi:
      bias_ = alibi_bias(
          alibi_heads(config.n_heads, causal ? AlibiShape::kSymmetric : config.alibi), longest);
      break;
    case Encoding::kRelative: {
      table_ = parameters.at(relative_name(config, use));
      buckets_ = at::empty({2 * longest - 1}, at::kLong);
      auto* out = buckets_.data_ptr<std::int64_t>();
      // Where the data gives positions, an earlier token may have a higher one.
      const bool looks_back = causal && config.positions == PositionSource::kCounted;
      for (std::int64_t distance = 1 - longest; distance < longest; ++distance)
        *out++ = relative_bucket(distance, config.buckets, config.farthest, looks_back);
      break;
    }
  }
}

at::Tensor Positions::added(const at::Tensor& positions, std::int64_t first,
                            std::int64_t length) const {
  if (!added_.defined()) return {};
  const at::Tensor all = continue_ ? continue_() : added_;
  if (!positions.defined()) return all.narrow(0, first, length);
  return at::index_select(all, 0, positions.flatten());
}

AttentionPositions Positions::in_attention() const {
  if (!table_.defined()) return {turns_, bias_, {}, {}};
  return {{}, at::index_select(table_, 0, buckets_).t().contiguous(), {}, {}};
}

}  // namespace headway
