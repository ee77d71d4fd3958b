#include "lib/data/sample_source.h"

namespace headway {

SampleSource source_of(const Dataset& dataset, const SourceMakers& makers) {
  if (!dataset.generator.is_object()) return {};
  const auto name = dataset.generator.find("name");
  if (name == dataset.generator.end() || !name->is_string()) return {};
  const auto maker = makers.find(name->get<std::string>());
  return maker == makers.end() ? SampleSource() : maker->second(dataset);
}

}  // namespace headway
