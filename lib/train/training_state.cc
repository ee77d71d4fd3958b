#include "lib/train/training_state.h"

#include <cstring>

#include "lib/base/json_fields.h"

namespace headway {
namespace {

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
  for (const auto& [name, buffer] : buffers)
    file.arrays[name] = Array::of(
        {buffer.numel()},
        std::span<const float>(buffer.data_ptr<float>(), static_cast<std::size_t>(buffer.numel())));
  file.metadata["state"] = to_json_fields(state).dump();
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
    const std::string& text = file.metadata.at("state");
    const std::optional<Json> json = parse_json(text);
    if (!json) throw Error("not JSON: " + json_mistake(text));
    TrainingState state;
    read_fields(*json, "the state", state);
    if (state.epoch > epochs) throw Error("it is of a longer training");
    for (const auto& [name, buffer] : buffers) {
      const std::vector<std::int64_t> shape = {buffer.numel()};
      file.at(name, ElementType::kF32, shape);  // check all before changing any
    }
    for (const auto& [name, buffer] : buffers) {
      const Array& array = file.at(name);
      std::memcpy(buffer.data_ptr<float>(), array.bytes.data(), array.bytes.size());
    }
    return state;
  } catch (const std::exception& error) {  // for example, written by another version of the program
    throw Error(path.string() + ": " + error.what());
  }
}

}  // namespace headway
