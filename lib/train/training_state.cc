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

// Epochs and steps are counted in more than one way; all must agree.
bool holds_together(const TrainingState& state, std::int64_t steps_per_epoch) {
  const auto epochs = static_cast<std::int64_t>(state.log.size());
  return state.epoch == epochs && state.timing.size() == state.log.size() && state.step >= 0 &&
         state.step <= steps_per_epoch &&
         state.optimiser_steps == epochs * steps_per_epoch + state.step &&
         state.best_epoch < epochs && (state.best_epoch >= 0) == (epochs > 0);
}

}  // namespace

std::string to_bytes(const TrainingState& state, const TrainingBuffers& buffers) {
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
  return to_safetensors(file);
}

std::optional<TrainingState> read_state(const Path& path, const TrainingBuffers& buffers,
                                        std::int64_t steps_per_epoch) {
  RealFileSystem files;
  if (!files.exists(path)) return std::nullopt;
  const TensorFile file = read_safetensors(files, path);
  const auto found = file.metadata.find("state");
  const auto json = found == file.metadata.end() ? std::nullopt : parse_json(found->second);
  if (!json) throw Error(path.string() + ": no state of a training");
  TrainingState state;
  try {
    json->at("epoch").get_to(state.epoch);
    json->at("step").get_to(state.step);
    json->at("loss_sum").get_to(state.loss_sum);
    json->at("loss_terms").get_to(state.loss_terms);
    json->at("seconds").get_to(state.seconds);
    json->at("optimiser_steps").get_to(state.optimiser_steps);
    json->at("best_epoch").get_to(state.best_epoch);
    json->at("best_metrics").get_to(state.best_validation.metrics);
    json->at("best_objective").get_to(state.best_validation.objective);
    json->at("best_loss").get_to(state.best_validation.loss);
    json->at("log").get_to(state.log);
    json->at("timing").get_to(state.timing);
  } catch (const Json::exception& error) {
    throw Error(path.string() + ": the state is not as expected: " + error.what());
  }
  if (!holds_together(state, steps_per_epoch)) {
    throw Error(path.string() + ": the state contradicts itself, or is of another training");
  }
  for (const auto& [name, buffer] : named(buffers)) {
    const std::vector<std::int64_t> shape = {buffer.numel()};
    file.at(name, ElementType::kF32, shape);  // all of them, before any is changed
  }
  for (const auto& [name, buffer] : named(buffers)) {
    const Array& array = file.at(name);
    std::memcpy(buffer.data_ptr<float>(), array.bytes.data(), array.bytes.size());
  }
  return state;
}

}  // namespace headway
