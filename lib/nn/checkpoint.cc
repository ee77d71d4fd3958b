#include "lib/nn/checkpoint.h"

#include <ATen/ops/cat.h>

#include <algorithm>

namespace headway {
namespace {

constexpr const char* kFormat = "headway transformer 1";

Json metadata_in(const TensorFile& file, const char* key) {
  Json json = file.json(key);
  if (json.is_null()) throw Error("the metadata should have '{}' as JSON", key);
  return json;
}

Parameters parameters_in(const TensorFile& file, std::vector<ParameterShape> shapes) {
  // Checked before allocating: the description may claim any size.
  for (const ParameterShape& shape : shapes) file.at(shape.name, ElementType::kF32, shape.shape);
  if (file.arrays.size() != shapes.size())
    throw Error("{} arrays, but a model of this shape has {}", file.arrays.size(), shapes.size());
  Parameters parameters(std::move(shapes));
  parameters.read_from(file);
  return parameters;
}

// The indices of a site's heads that the smaller model keeps.
std::vector<std::int64_t> places_kept(const TransformerConfig& from, const TransformerConfig& to,
                                      std::size_t site) {
  const std::vector<int> before = from.units_of(site), after = to.units_of(site);
  std::vector<std::int64_t> places;
  for (std::size_t place = 0; place < before.size(); ++place) {
    if (std::find(after.begin(), after.end(), before[place]) != after.end())
      places.push_back(static_cast<std::int64_t>(place));
  }
  return places;
}

// Keeps these heads along a dimension that consists of `parts` groups (queries, keys, values) of
// heads.
at::Tensor keep(const at::Tensor& tensor, std::int64_t dimension, std::int64_t parts,
                std::int64_t head_size, const std::vector<std::int64_t>& places) {
  const std::int64_t group = tensor.size(dimension) / parts;
  std::vector<at::Tensor> kept;
  for (std::int64_t part = 0; part < parts; ++part) {
    for (const std::int64_t place : places)
      kept.push_back(tensor.narrow(dimension, part * group + place * head_size, head_size));
  }
  return kept.empty() ? tensor.narrow(dimension, 0, 0) : at::cat(kept, dimension);
}

}  // namespace

TensorFile to_tensor_file(const Checkpoint& checkpoint) {
  TensorFile file;
  file.metadata["format"] = kFormat;
  file.metadata["model"] = to_json(checkpoint.config).dump();
  file.metadata["tokens"] = Json(checkpoint.tokens).dump();
  file.metadata["classes"] = Json(checkpoint.classes).dump();
  checkpoint.parameters.add_to(file);
  return file;
}

Checkpoint checkpoint_from(const TensorFile& file, const std::string& name) {
  try {
    const auto format = file.metadata.find("format");
    if (format == file.metadata.end() || format->second != kFormat)
      throw Error("not a checkpoint of a transformer (its metadata should say format = '{}')",
                  kFormat);
    const TransformerConfig config = transformer_config_from(metadata_in(file, "model"));
    Checkpoint checkpoint{config, metadata_in(file, "tokens").get<std::vector<std::string>>(),
                          metadata_in(file, "classes").get<std::vector<std::string>>(),
                          parameters_in(file, parameter_shapes(config))};
    if (std::ssize(checkpoint.tokens) != config.vocabulary ||
        std::ssize(checkpoint.classes) != config.classes)
      throw Error("{} tokens and {} classes are named, but the model has {} and {}",
                  checkpoint.tokens.size(), checkpoint.classes.size(), config.vocabulary,
                  config.classes);
    return checkpoint;
  } catch (const Json::exception& error) {
    throw Error("{}: the model's description is not as expected: {}", name, error.what());
  } catch (const Error& error) {
    throw error.within(name);
  }
}

Checkpoint without_units(const Checkpoint& checkpoint, const std::vector<Unit>& removed) {
  const TransformerConfig& from = checkpoint.config;
  const TransformerConfig to = from.without(removed);
  ParameterMap tensors = checkpoint.parameters.views(false);
  const std::int64_t size = from.head_size();
  for (const Site& site : from.sites()) {
    if (site.is_feed()) continue;  // the smaller model does not ask for its tensors
    const std::vector<std::int64_t> places = places_kept(from, to, site.index);
    const auto cut = [&](const std::string& name, std::int64_t dimension, std::int64_t parts) {
      at::Tensor& tensor = tensors.at(site.name() + name);
      tensor = keep(tensor, dimension, parts, size, places);
    };
    const bool cross = site.module == Module::kDecoderCross;
    for (const char* what : {".weight", ".bias"}) {
      cut((cross ? ".q" : ".qkv") + std::string(what), 0, cross ? 1 : 3);
      if (cross) cut(".kv" + std::string(what), 0, 2);
    }
    cut(".out.weight", 1, 1);
  }
  Checkpoint smaller{to, checkpoint.tokens, checkpoint.classes, Parameters(parameter_shapes(to))};
  for (auto& [name, view] : smaller.parameters.views(false)) view.copy_(tensors.at(name));
  return smaller;
}

}  // namespace headway
