#include "tests/support/study_report.h"

#include <cstdlib>
#include <filesystem>
#include <optional>
#include <utility>

#include "lib/base/error.h"
#include "lib/base/file_system.h"

namespace headway::testing {
namespace {

std::string text_of_file(const Path& file) {
  const std::optional<std::string> text = RealFileSystem().read(file);
  if (!text) throw Error("no such file: " + file.string());
  return *text;
}

Path artifacts_folder(const std::string& study) {
  return Path(HEADWAY_SOURCE_DIR) / "tests/report/artifacts" / study;
}

Provenance study_provenance(const std::string& study) {
  return parse_provenance(text_of_file(artifacts_folder(study) / "provenance.json"));
}

// Attention of six heads for two problems; the first one is among the failures.
std::string maps_artifact() {
  const auto tokens = [](std::vector<std::int32_t> ids) {
    const auto length = static_cast<std::int64_t>(ids.size()) / 2;
    return Array::of({2, length}, std::span<const std::int32_t>(ids));
  };
  const auto weights = [](std::int64_t queries, std::int64_t keys) {
    std::vector<float> values;
    for (std::int64_t row = 0; row < 2 * 2 * queries; ++row) {  // problems, heads
      float rest = 1;
      for (std::int64_t key = 0; key < keys; ++key) {
        values.push_back(key + 1 == keys ? rest : rest / static_cast<float>(2 + row / queries));
        rest -= values.back();
      }
    }
    return Array::of({2, 2, queries, keys}, std::span<const float>(values));
  };
  TensorFile maps;
  maps.arrays["inputs"] = tokens({4, 7, 10, 6, 8, 1, 2, 10, 3, 4});
  maps.arrays["decoder_inputs"] = tokens({12, 1, 1, 12, 0, 4});
  maps.arrays["targets"] = tokens({1, 1, 5, 0, 4, 6});
  maps.arrays["predictions"] = tokens({1, 0, 5, 0, 4, 6});
  maps.arrays["encoder.0.self"] = weights(5, 5);
  maps.arrays["decoder.0.self"] = weights(3, 3);
  maps.arrays["decoder.0.cross"] = weights(3, 5);
  maps.metadata["problems"] = R"(["47+68 -> 115","12+34 -> 046"])";
  maps.metadata["tokens"] = R"(["0","1","2","3","4","5","6","7","8","9","+","pad","bos","end"])";
  maps.metadata["answers"] = R"(["105","046"])";
  maps.metadata["wanted"] = R"(["115","046"])";
  maps.metadata["heads"] =
      R"({"decoder.0.cross":[0,1],"decoder.0.self":[0,1],"encoder.0.self":[0,1]})";
  return to_safetensors(maps);
}

// Only the products of positions matter here, and whether they are all the same.
std::string positions_artifact(const std::string& stage) {
  constexpr std::int64_t kPositions = 64;
  const std::string encoding = stage == "alibi"       ? "alibi"
                               : stage == "untrained" ? "learned"
                                                      : stage.substr(stage.find('@') + 1);
  std::vector<float> gram;
  for (std::int64_t t = 0; t < kPositions; ++t) {
    for (std::int64_t s = 0; s < kPositions; ++s)
      gram.push_back(encoding == "none" ? 1.0F : 1.0F / static_cast<float>(1 + std::abs(t - s)));
  }
  TensorFile file;
  file.arrays["gram"] = Array::of({kPositions, kPositions}, std::span<const float>(gram));
  file.metadata = {{"encoding", encoding}, {"trained", "16"}};
  return to_safetensors(file);
}

std::string artifact_bytes(const Path& folder, const std::string& stage, const std::string& file) {
  if (file.ends_with(".svg")) return text_of_file(folder.parent_path() / "tiny.svg");
  if (file == "maps.safetensors") return maps_artifact();
  if (file == "positions.safetensors") return positions_artifact(stage);
  return text_of_file(folder / stage / file);
}

SourceFile source_file(const Path& folder, const Provenance& provenance, const std::string& origin,
                       bool is_list) {
  const StageOrigin* stage = provenance.maker_of(origin);
  if (!stage) throw Error("no stage makes " + origin);
  const std::size_t at = stage->name.find('@');
  const std::string alone = is_list ? stage->name : "";
  for (const StageOrigin::Output& output : stage->outputs) {
    if (origin == stage->name + "." + output.name)
      return {at == std::string::npos ? alone : stage->name.substr(at + 1), origin, output.file,
              artifact_bytes(folder, stage->name, output.file)};
  }
  throw Error("no such output: " + origin);
}

}  // namespace

StudyInputs study_inputs(const std::string& study) {
  const Provenance provenance = study_provenance(study);
  StudyInputs inputs;
  for (const StageOrigin::Input& input : provenance.inputs) {
    for (const std::string& origin : input.sources) {
      inputs[input.port].push_back(
          source_file(artifacts_folder(study), provenance, origin, input.sources.size() > 1));
    }
  }
  return inputs;
}

Report study_report(const std::string& study, const StudyInputs& inputs) {
  Sources sources;
  for (const auto& [name, files] : inputs) sources.add(name, files);
  const std::string name = "reports/" + study + ".md";
  const std::string text = text_of_file(Path(HEADWAY_SOURCE_DIR) / "pipelines" / name);
  return make_report(parse_template(text, name), sources, study_provenance(study),
                     std::filesystem::temp_directory_path());
}

}  // namespace headway::testing
