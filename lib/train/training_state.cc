#include "lib/train/training_state.h"

#include <cstring>

#include "lib/base/error.h"
#include "lib/base/json.h"

namespace headway {
namespace {

std::vector<std::pair<const char*, at::Tensor>> named(const TrainingBuffers& buffers) {
  return {{"parameters", buffers.parameters},
          {"best", buffers.best},
          {"mean", buffers.mean},
          {"square", buffers.square}};
}

constexpr const char* kDigest = "sha256";      // of the file without this entry
constexpr const char* kIdentity = "training";  // the training that the state belongs to

// Serialises everything that was read, so that the digest covers every bit.
std::string digest_text(const TensorFile& file) {
  return digest_of(to_safetensors(file)).hex();
}

std::string take_entry(TensorFile& file, const char* name) {
  const auto entry = file.metadata.extract(name);
  return entry ? entry.mapped() : "";
}

TensorFile read_checked(FileSystem& files, const Path& path, const Digest& identity) {
  TensorFile file = read_safetensors(files, path);
  const std::string digest = take_entry(file, kDigest);
  if (digest != digest_text(file))
    throw Error(path.string() + ": it is damaged: it does not match its digest");
  if (take_entry(file, kIdentity) != identity.hex())
    throw Error(path.string() + ": it is of another training");
  return file;
}

TrainingState parse_state(const std::string& text) {
  TrainingState state;
  const std::optional<Json> parsed = parse_json(text);
  if (!parsed) throw Error("not JSON: " + json_mistake(text));
  const Json& json = *parsed;
  json.at("epoch").get_to(state.epoch);
  json.at("step").get_to(state.step);
  json.at("loss_sum").get_to(state.loss_sum);
  json.at("loss_terms").get_to(state.loss_terms);
  json.at("seconds").get_to(state.seconds);
  json.at("optimiser_steps").get_to(state.optimiser_steps);
  json.at("best_epoch").get_to(state.best_epoch);
  json.at("best_metrics").get_to(state.best_validation.metrics);
  json.at("best_objective").get_to(state.best_validation.objective);
  json.at("best_loss").get_to(state.best_validation.loss);
  json.at("log").get_to(state.log);
  json.at("timing").get_to(state.timing);
  return state;
}

}  // namespace

Digest identity_of(const Parameters& start, const TrainingOptions& options, std::int64_t samples) {
  // Lists every field, so that a new one does not compile until it is handled here.
  const auto& [epochs, schedule_epochs, batch, shards, lr, warmup, beta1, beta2, weight_decay, clip,
               dropout, patience, seed] = options;
  const std::int64_t schedule = schedule_epochs > 0 ? schedule_epochs : epochs;
  const Json text = {samples,      schedule, batch,          shards,
                     lr,           warmup,   beta1,          beta2,
                     weight_decay, clip,     dropout.layers, dropout.attention,
                     patience,     seed};
  const at::Tensor& flat = start.flat();
  Sha256 sha;
  sha.update(text.dump());
  sha.update({reinterpret_cast<const char*>(flat.data_ptr<float>()), flat.nbytes()});
  return sha.finish();
}

std::string to_bytes(const TrainingState& state, const TrainingBuffers& buffers,
                     const Digest& identity) {
  TensorFile file;
  for (const auto& [name, buffer] : named(buffers)) {
    file.arrays[name] = Array::of(
        {buffer.numel()},
        std::span<const float>(buffer.data_ptr<float>(), static_cast<std::size_t>(buffer.numel())));
  }
  file.metadata["state"] = Json{
      {"epoch", state.epoch},
      {"step", state.step},
      {"loss_sum", state.loss_sum},
      {"loss_terms", state.loss_terms},
      {"seconds", state.seconds},
      {"optimiser_steps", state.optimiser_steps},
      {"best_epoch", state.best_epoch},
      {"best_metrics", state.best_validation.metrics},
      {"best_objective", state.best_validation.objective},
      {"best_loss", state.best_validation.loss},
      {"log", state.log},
      {"timing", state.timing}}.dump();
  file.metadata[kIdentity] = identity.hex();
  file.metadata[kDigest] = digest_text(file);
  return to_safetensors(file);
}

std::optional<TrainingState> read_state(const Path& path, const TrainingBuffers& buffers,
                                        const Digest& identity, std::int64_t epochs) {
  RealFileSystem files;
  if (!files.exists(path)) return std::nullopt;
  const TensorFile file = read_checked(files, path, identity);
  try {
    const TrainingState state = parse_state(file.metadata.at("state"));
    if (state.epoch > epochs) throw Error("it is of a longer training");
    for (const auto& [name, buffer] : named(buffers)) {
      const std::vector<std::int64_t> shape = {buffer.numel()};
      file.at(name, ElementType::kF32, shape);  // check all before changing any
    }
    for (const auto& [name, buffer] : named(buffers)) {
      const Array& array = file.at(name);
      std::memcpy(buffer.data_ptr<float>(), array.bytes.data(), array.bytes.size());
    }
    return state;
  } catch (const std::exception& error) {  // for example, written by another version of the program
    throw Error(path.string() + ": " + error.what());
  }
}

}  // namespace headway
