#include "lib/nn/model_file.h"

#include <fmt/format.h>

#include "lib/base/error.h"

namespace headway {

TensorFile model_file(const ModelKind& kind, const Json& description,
                      const Parameters& parameters) {
  TensorFile file;
  file.metadata["format"] = kind.format;
  file.metadata["model"] = description.dump();
  parameters.add_to(file);
  return file;
}

Json description_in(const TensorFile& file, const ModelKind& kind, const std::string& name) {
  const auto format = file.metadata.find("format");
  if (format == file.metadata.end() || format->second != kind.format) {
    throw Error(fmt::format("{}: not a checkpoint of {} (its metadata should say format = '{}')",
                            name, kind.called, kind.format));
  }
  const auto model = file.metadata.find("model");
  const auto json = model == file.metadata.end() ? std::nullopt : parse_json(model->second);
  if (!json) throw Error(name + ": the metadata does not describe a model");
  return *json;
}

Parameters parameters_in(const TensorFile& file, std::vector<ParameterShape> shapes,
                         const std::string& name) {
  try {
    // Checked before allocating: the description may claim any size.
    for (const ParameterShape& shape : shapes) file.at(shape.name, ElementType::kF32, shape.shape);
    if (file.arrays.size() != shapes.size()) {
      throw Error(fmt::format("{} arrays, but a model of this shape has {}", file.arrays.size(),
                              shapes.size()));
    }
    Parameters parameters(std::move(shapes));
    parameters.read_from(file);
    return parameters;
  } catch (const Error& error) {
    throw error.within(name);
  }
}

}  // namespace headway
