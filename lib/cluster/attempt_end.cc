#include "lib/cluster/attempt_end.h"

#include <fmt/format.h>

#include <algorithm>

#include "lib/base/enum_names.h"
#include "lib/base/error.h"
#include "lib/store/store.h"

namespace headway {

template <>
inline constexpr std::string_view kNamesOf<StageResult::Status>[] = {
    "succeeded", "failed", "timed out", "cancelled", "lost"};

namespace {

constexpr const char* kEndFile = "end.json";
constexpr double kWorthSyncing = 1;  // seconds; what a power cut takes of others, digests show

const Path& path_of(const StageJob& job, const AttemptEnd::Output& output) {
  return std::ranges::find(job.outputs, output.name, &std::pair<std::string, Path>::first)->second;
}

// Of a file, with its x bit, or of all files in a folder with their names.
std::optional<Digest> digest_of_output(FileSystem& files, const Path& path) {
  const std::optional<FileInfo> info = files.info(path);
  if (!info) return std::nullopt;
  if (info->kind == FileInfo::Kind::kSymlink) return digest_of(files.read_link(path).value_or(""));
  if (info->kind == FileInfo::Kind::kOther) return digest_of("");  // a pipe: opening it would block
  if (!info->is_directory()) {
    const Digest contents = files.digest(path);
    return info->is_executable ? digest_of("executable " + contents.hex()) : contents;
  }
  std::string text;
  for (const std::string& name : files.list(path)) {
    const std::optional<Digest> digest = digest_of_output(files, path / name);
    if (digest) text += fmt::format("{} {}\n", digest->hex(), name);
  }
  return digest_of(text);
}

}  // namespace

std::string attempt_id(const StageJob& job) {
  return job.work.filename().string();
}

Json AttemptEnd::to_json() const {
  Json list = Json::array();
  for (const Output& output : outputs)
    list.push_back({{"name", output.name}, {"digest", output.digest.hex()}});
  return {{"attempt", attempt},
          {"status", name_of(result.status)},
          {"message", result.message},
          {"seconds", result.seconds},
          {"cpu_seconds", result.cpu_seconds},
          {"peak_memory", result.peak_memory},
          {"machine", result.machine},
          {"numerics", result.numerics},
          {"notice", result.notice},
          {"outputs", std::move(list)}};
}

std::optional<AttemptEnd> AttemptEnd::parse(const std::string& text) {
  const std::optional<Json> json = parse_json(text);
  if (!json || !json->is_object()) return std::nullopt;
  try {
    AttemptEnd end{json->at("attempt"), {}};
    const auto status = value_of<StageResult::Status>(json->at("status").get<std::string>());
    if (!status) return std::nullopt;
    end.result.status = *status;
    end.result.message = json->at("message");
    end.result.seconds = json->at("seconds");
    end.result.cpu_seconds = json->at("cpu_seconds");
    end.result.peak_memory = whole_number<std::uint64_t>(json->at("peak_memory")).value();
    end.result.machine = json->at("machine");
    end.result.numerics = json->at("numerics");
    end.result.notice = json->at("notice");
    for (const Json& output : json->at("outputs")) {
      const auto digest = Digest::from_hex(output.at("digest").get<std::string>());
      if (!digest) return std::nullopt;
      end.outputs.push_back({output.at("name"), *digest});
    }
    return end;
  } catch (const std::exception&) {  // a field is missing or has another type
    return std::nullopt;
  }
}

AttemptEnd describe_end(FileSystem& files, const StageJob& job, StageResult result) {
  AttemptEnd end{attempt_id(job), std::move(result)};
  if (end.result.status != StageResult::Status::kSucceeded) return end;
  for (const auto& [name, path] : job.outputs) {
    try {
      if (const std::optional<Digest> digest = digest_of_output(files, path))
        end.outputs.push_back({name, *digest});
    } catch (const Error& error) {  // a stale handle, say: without a digest, it cannot be verified
      end.result.status = StageResult::Status::kLost;
      end.result.message = fmt::format("output '{}' cannot be read: {}", name, error.what());
      end.outputs.clear();
      return end;
    }
  }
  return end;
}

void write_ends(FileSystem& files,
                const std::vector<std::pair<const StageJob*, AttemptEnd>>& ends) {
  std::string problems;
  const auto attempt = [&](const auto& work) {
    try {
      work();
      return true;
    } catch (const Error& error) {
      problems += fmt::format("{}{}", problems.empty() ? "" : "; ", error.what());
      return false;
    }
  };
  const auto is_on_disk = [&](const auto& entry) {
    const AttemptEnd& end = entry.second;
    if (end.result.seconds < kWorthSyncing) return true;
    return attempt([&] {
      for (const AttemptEnd::Output& output : end.outputs)
        sync_tree(files, path_of(*entry.first, output));
    });
  };
  std::vector<const std::pair<const StageJob*, AttemptEnd>*> ready;
  for (const auto& entry : ends) {
    if (is_on_disk(entry)) ready.push_back(&entry);
  }
  for (const auto* entry : ready) {
    attempt([&] {
      files.replace(entry->first->work / kEndFile, to_line(entry->second.to_json()) + "\n");
    });
  }
  if (!problems.empty()) throw Error(problems);
}

std::optional<AttemptEnd> read_end(FileSystem& files, const StageJob& job) {
  const std::vector<std::string> names = files.list(job.work);
  if (std::ranges::find(names, kEndFile) == names.end()) return std::nullopt;
  std::optional<AttemptEnd> end = AttemptEnd::parse(files.read(job.work / kEndFile).value_or(""));
  return end && end->attempt == attempt_id(job) ? end : std::nullopt;
}

std::string missing_of(FileSystem& files, const StageJob& job, const AttemptEnd& end) {
  for (const AttemptEnd::Output& output : end.outputs) {
    const auto found =
        std::ranges::find(job.outputs, output.name, &std::pair<std::string, Path>::first);
    if (found == job.outputs.end()) return fmt::format("output '{}' is not ours", output.name);
    const Path& path = found->second;
    try {
      files.list(path.parent_path());
      const std::optional<Digest> digest = digest_of_output(files, path);
      if (!digest) return fmt::format("output '{}' is not there yet", output.name);
      if (*digest != output.digest)
        return fmt::format("output '{}' does not have the contents that its node wrote",
                           output.name);
    } catch (const Error& error) {
      return fmt::format("output '{}' cannot be read: {}", output.name, error.what());
    }
  }
  for (const auto& [name, path] : job.outputs) {
    const bool is_recorded =
        std::ranges::find(end.outputs, name, &AttemptEnd::Output::name) != end.outputs.end();
    if (!is_recorded && files.info(path))
      return fmt::format("output '{}' was not there when its node looked", name);
  }
  return "";
}

}  // namespace headway
