#include "lib/analysis/circuits.h"

#include <ATen/ops/linalg_eigvals.h>
#include <ATen/ops/matmul.h>

#include <limits>

namespace headway {

std::vector<double> copying_scores(const Checkpoint& checkpoint) {
  std::vector<double> scores;
  const TransformerConfig& config = checkpoint.config;
  if (config.kind != ModelKind::kDecoder) return scores;
  const ParameterMap parameters = checkpoint.parameters.views(false);
  const std::int64_t size = config.head_size(), words = config.vocabulary - 3;  // without markers
  const auto of = [&](const std::string& name) { return parameters.at(name).to(at::kDouble); };
  const at::Tensor embedding = of("embedding").narrow(0, 0, words);       // [V, d]
  const at::Tensor read_out = of("read_out.weight").narrow(0, 0, words);  // [V, d]
  const at::Tensor through = at::matmul(embedding.t(), read_out);         // [d, d]
  for (const Site& site : config.sites()) {
    if (site.is_feed()) continue;
    const at::Tensor values = of(site.name() + ".qkv.weight").chunk(3, 0)[2];  // [H * D, d]
    const at::Tensor mix = of(site.name() + ".out.weight");                    // [d, H * D]
    const auto heads = static_cast<std::int64_t>(config.units_of(site.index).size());
    for (std::int64_t head = 0; head < heads; ++head) {
      // The path U · O · V · E^T [V, V] has the same eigenvalues, besides zeros, as this smaller
      // product of its factors.
      const at::Tensor value = values.narrow(0, head * size, size);         // [D, d]
      const at::Tensor out = mix.narrow(1, head * size, size);              // [d, D]
      const at::Tensor path = at::matmul(at::matmul(value, through), out);  // [D, D]
      const double sizes = at::linalg_eigvals(path).abs().sum().item<double>();
      scores.push_back(sizes > 0 ? path.trace().item<double>() / sizes
                                 : std::numeric_limits<double>::quiet_NaN());
    }
  }
  return scores;
}

}  // namespace headway
