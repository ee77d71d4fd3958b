#include "lib/nn/checkpoint.h"

#include <ATen/ops/cat.h>

#include <algorithm>

namespace headway {
namespace {

struct ModelKind {
  std::string format;  // as in the metadata
  std::string called;  // for messages
};
const ModelKind kSeq2Seq = {"headway seq2seq 1", "a sequence-to-sequence model"};
const ModelKind kClassifier = {"headway classifier 1", "a sequence classifier"};

TensorFile model_file(const ModelKind& kind, const Json& description,
                      const Parameters& parameters) {
  TensorFile file;
  file.metadata["format"] = kind.format;
  file.metadata["model"] = description.dump();
  parameters.add_to(file);
  return file;
}

Json description_in(const TensorFile& file, const ModelKind& kind) {
  const auto format = file.metadata.find("format");
  if (format == file.metadata.end() || format->second != kind.format)
    throw Error("not a checkpoint of {} (its metadata should say format = '{}')", kind.called,
                kind.format);
  const auto model = file.metadata.find("model");
  const auto json = model == file.metadata.end() ? std::nullopt : parse_json(model->second);
  if (!json) throw Error("the metadata does not describe a model");
  return *json;
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

template <class Model, class Config>
Model read_model(const TensorFile& file, const std::string& name, const ModelKind& kind,
                 Config (*config_from)(const Json&)) {
  try {
    const Config config = config_from(description_in(file, kind));
    return {config, parameters_in(file, parameter_shapes(config))};
  } catch (const Json::exception& error) {
    throw Error("{}: the model's description is not as expected: {}", name, error.what());
  } catch (const Error& error) {
    throw error.within(name);
  }
}

// The indices of a site's heads that the smaller model keeps.
std::vector<std::int64_t> places_kept(const Seq2SeqConfig& from, const Seq2SeqConfig& to,
                                      std::size_t site) {
  const std::vector<int> before = from.heads_of(site), after = to.heads_of(site);
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
  return model_file(kSeq2Seq, to_json(checkpoint.config), checkpoint.parameters);
}

Checkpoint checkpoint_from(const TensorFile& file, const std::string& name) {
  return read_model<Checkpoint>(file, name, kSeq2Seq, seq2seq_config_from);
}

TensorFile to_tensor_file(const ClassifierCheckpoint& checkpoint) {
  return model_file(kClassifier, to_json(checkpoint.config), checkpoint.parameters);
}

ClassifierCheckpoint classifier_checkpoint_from(const TensorFile& file, const std::string& name) {
  return read_model<ClassifierCheckpoint>(file, name, kClassifier, classifier_config_from);
}

Checkpoint without_heads(const Checkpoint& checkpoint, const std::vector<HeadId>& removed) {
  const Seq2SeqConfig& from = checkpoint.config;
  const Seq2SeqConfig to = from.without(removed);
  ParameterMap tensors = checkpoint.parameters.views(false);
  const std::int64_t size = from.head_size();
  for (const AttentionSite& site : from.sites()) {
    const std::vector<std::int64_t> places = places_kept(from, to, site.index);
    const auto cut = [&](const std::string& name, std::int64_t dimension, std::int64_t parts) {
      at::Tensor& tensor = tensors.at(site.name() + name);
      tensor = keep(tensor, dimension, parts, size, places);
    };
    const bool cross = site.module == AttentionModule::kDecoderCross;
    for (const char* what : {".weight", ".bias"}) {
      cut((cross ? ".q" : ".qkv") + std::string(what), 0, cross ? 1 : 3);
      if (cross) cut(".kv" + std::string(what), 0, 2);
    }
    cut(".out.weight", 1, 1);
  }
  Checkpoint smaller{to, Parameters(parameter_shapes(to))};
  for (auto& [name, view] : smaller.parameters.views(false)) view.copy_(tensors.at(name));
  return smaller;
}

}  // namespace headway
