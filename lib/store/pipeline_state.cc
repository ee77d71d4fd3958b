#include "lib/store/pipeline_state.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

#include "lib/base/error.h"
#include "lib/base/json.h"
#include "lib/spec/folder_name.h"

namespace headway {
namespace {

// A line is fields between tabs, because thousands of them are read at every start and JSON would
// cost several times as much:  stage status key good previous seconds finished message stamp (name
// file digest size extension kind)*
constexpr StageStatus kStatuses[] = {StageStatus::kRunning, StageStatus::kDone,
                                     StageStatus::kFailed, StageStatus::kCancelled,
                                     StageStatus::kWaiting};
constexpr std::string_view kFileLine = "file";
constexpr std::string_view kArgumentsLine = "arguments";
constexpr std::string_view kForgetLine = "forget";
constexpr const char* kFile = "0";
constexpr const char* kFolder = "1";
constexpr const char* kExecutable = "x";
constexpr std::size_t kFixedFields = 9;
constexpr std::size_t kOutputFields = 6;

// Tabs and line ends inside a field.
constexpr std::pair<char, char> kEscapes[] = {{'\t', 't'}, {'\n', 'n'}, {'\\', '\\'}};

std::string escaped(std::string_view text) {
  std::string result;
  for (const char c : text) {
    const auto escape = std::ranges::find(kEscapes, c, &std::pair<char, char>::first);
    if (escape == std::end(kEscapes))
      result += c;
    else
      result.append("\\").push_back(escape->second);
  }
  return result;
}

std::string unescaped(std::string_view text) {
  std::string result;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const bool is_escape = text[i] == '\\' && i + 1 < text.size();
    if (is_escape) ++i;
    const auto escape = std::ranges::find(kEscapes, text[i], &std::pair<char, char>::second);
    result += is_escape && escape != std::end(kEscapes) ? escape->first : text[i];
  }
  return result;
}

const char* kind_of(const ObjectRef& object) {
  return object.is_directory ? kFolder : object.is_executable ? kExecutable : kFile;
}

std::string hex_or_nothing(const Digest& digest) {
  return digest.empty() ? "" : digest.hex();
}

std::string to_line(const std::string& stage, const StageState& state) {
  std::string line = fmt::format("{}\t{}\t{}\t{}\t{}\t{}\t{}\t{}\t{}", stage, name_of(state.status),
                                 hex_or_nothing(state.key), hex_or_nothing(state.good_key),
                                 hex_or_nothing(state.previous_key), state.seconds, state.finished,
                                 escaped(state.message), state.record_stamp);
  for (const RecordedOutput& output : state.outputs)
    line += fmt::format("\t{}\t{}\t{}\t{}\t{}\t{}", output.name, escaped(output.file),
                        output.object.digest.hex(), output.object.size, output.object.extension,
                        kind_of(output.object));
  return line;
}

// Absolute, through all links.
Path resolved_folder(const Path& folder) {
  std::error_code error;
  const Path absolute = std::filesystem::absolute(folder.empty() ? "." : folder, error);
  const Path resolved = std::filesystem::weakly_canonical(absolute, error);
  return error ? absolute : resolved;
}

std::string file_line(const std::string& file) {
  return fmt::format("\t{}\t{}", kFileLine, escaped(file));
}

std::string arguments_line(const std::vector<std::string>& arguments) {
  return fmt::format("\t{}\t{}", kArgumentsLine, escaped(headway::to_line(Json(arguments))));
}

std::vector<std::string> parse_arguments(std::string_view text) {
  std::vector<std::string> arguments;
  for (const Json& argument : parse_json(text).value_or(Json::array())) {
    if (argument.is_string()) arguments.push_back(argument);
  }
  return arguments;
}

template <class Number>
Number number(std::string_view text) {
  Number value{};
  std::from_chars(text.data(), text.data() + text.size(), value);
  return value;
}

std::vector<std::string_view> fields_of(std::string_view line) {
  std::vector<std::string_view> fields;
  for (;;) {
    const std::size_t tab = line.find('\t');
    fields.push_back(line.substr(0, tab));
    if (tab == std::string_view::npos) return fields;
    line.remove_prefix(tab + 1);
  }
}

// Null where the line is not one of ours.
std::shared_ptr<const StageState> parse_state(const std::vector<std::string_view>& fields) {
  if (fields.size() < kFixedFields || (fields.size() - kFixedFields) % kOutputFields != 0)
    return nullptr;
  auto state = std::make_shared<StageState>();
  const auto status = std::ranges::find(kStatuses, fields[1], name_of<StageStatus>);
  if (status == std::end(kStatuses)) return nullptr;
  state->status = *status;
  state->key = Digest::from_hex(fields[2]).value_or(Digest());
  state->good_key = Digest::from_hex(fields[3]).value_or(Digest());
  state->previous_key = Digest::from_hex(fields[4]).value_or(Digest());
  state->seconds = number<double>(fields[5]);
  state->finished = number<std::int64_t>(fields[6]);
  state->message = unescaped(fields[7]);
  state->record_stamp = fields[8];
  for (std::size_t i = kFixedFields; i < fields.size(); i += kOutputFields) {
    const std::optional<Digest> digest = Digest::from_hex(fields[i + 2]);
    if (!digest) return nullptr;
    state->outputs.push_back(
        {std::string(fields[i]),
         unescaped(fields[i + 1]),
         {*digest, number<std::uint64_t>(fields[i + 3]), std::string(fields[i + 4]),
          fields[i + 5] == kFolder, fields[i + 5] == kExecutable}});
  }
  return state;
}

bool same(const StageState& a, const StageState& b) {
  return a.status == b.status && a.key == b.key && a.good_key == b.good_key &&
         a.message == b.message && a.record_stamp == b.record_stamp;
}

}  // namespace

PipelineState::PipelineState(FileSystem& files, const Layout& layout, const std::string& pipeline,
                             const std::string& variant)
    : outputs_(resolved_folder(layout.outputs())),
      journal_(files, layout.state(pipeline, variant)) {
  if (!variant.empty()) arguments_ = {"--variant", variant};  // until the journal says more
  load();
  const std::string plain = without_assignments(variant);
  if (plain != variant)
    without_sets_ = std::make_unique<const PipelineState>(files, layout, pipeline, plain);
}

void PipelineState::load() {
  const std::vector<std::string> lines = journal_.read();
  for (const std::string& line : lines) {
    const std::vector<std::string_view> fields = fields_of(line);
    if (fields.size() == 3 && fields[0].empty()) {
      if (fields[1] == kFileLine) file_ = unescaped(fields[2]);
      if (fields[1] == kArgumentsLine) arguments_ = parse_arguments(unescaped(fields[2]));
      if (fields[1] == kForgetLine) stages_.erase(std::string(fields[2]));
    } else if (auto state = parse_state(fields)) {
      stages_[std::string(fields[0])] = std::move(state);
    }
  }
  lines_ = lines.size();
}

void PipelineState::compact() {
  if (lines_ < 100 || lines_ < stages_.size() + stages_.size() / 2) return;
  load();  // others may have written since
  const std::lock_guard lock(mutex_);
  std::vector<std::string> fewer{file_line(file_)};
  fewer.push_back(arguments_line(arguments_));
  for (const auto& [stage, state] :
       std::map<std::string, LastState>(stages_.begin(), stages_.end()))
    fewer.push_back(to_line(stage, *state));
  try {
    journal_.rewrite(fewer);
  } catch (const Error&) {  // reading a read-only store is fine
  }
}

LastState PipelineState::find(const std::string& stage) const {
  const std::lock_guard lock(mutex_);
  const auto found = stages_.find(stage);
  return found == stages_.end() ? nullptr : found->second;
}

LastState PipelineState::find_similar(const std::string& stage) const {
  const LastState last = find(stage);
  return last || !without_sets_ ? last : without_sets_->find(stage);
}

std::map<std::string, LastState> PipelineState::all() const {
  const std::lock_guard lock(mutex_);
  return {stages_.begin(), stages_.end()};
}

std::vector<std::string> PipelineState::others_than(
    const std::unordered_set<std::string_view>& stages) const {
  std::vector<std::string> others;
  {
    const std::lock_guard lock(mutex_);
    for (const auto& [stage, last] : stages_) {
      if (!stages.contains(stage)) others.push_back(stage);
    }
  }
  std::ranges::sort(others);
  return others;
}

void PipelineState::note(const std::string& stage, const StageState& state) {
  const std::lock_guard lock(mutex_);
  std::shared_ptr<const StageState>& known = stages_[stage];
  if (known && same(*known, state)) return;
  known = std::make_shared<const StageState>(state);
  journal_.append(to_line(stage, state));
}

void PipelineState::forget(const std::string& stage) {
  const std::lock_guard lock(mutex_);
  if (stages_.erase(stage) > 0) journal_.append(fmt::format("\t{}\t{}", kForgetLine, stage));
}

std::string PipelineState::file() const {
  const std::lock_guard lock(mutex_);
  return file_.empty() ? "" : (outputs_ / file_).lexically_normal().string();
}

std::vector<std::string> PipelineState::arguments() const {
  const std::lock_guard lock(mutex_);
  return arguments_;
}

void PipelineState::note_file(const Path& file, const std::vector<std::string>& arguments) {
  const Path absolute = resolved_folder(file.parent_path()) / file.filename();
  const Path project = outputs_.parent_path();
  const Path below = absolute.lexically_relative(project);
  const bool is_inside = !below.empty() && *below.begin() != "..";
  const std::lock_guard lock(mutex_);
  file_ = (is_inside ? ".." / below : absolute).string();
  journal_.append(file_line(file_));
  if (arguments_ == arguments) return;
  arguments_ = arguments;
  journal_.append(arguments_line(arguments));
}

std::vector<KnownPipeline> known_pipelines(FileSystem& files, const Layout& layout) {
  std::vector<KnownPipeline> known;
  for (const std::string& entry : files.list(layout.states())) {
    if (is_temporary_name(entry)) continue;
    const std::size_t at = entry.find('@');
    const auto info = files.info(layout.states() / entry);
    known.push_back({entry.substr(0, at), at == std::string::npos ? "" : entry.substr(at + 1),
                     info ? info->mtime_ns : 0});
  }
  std::stable_sort(known.begin(), known.end(),
                   [](const auto& a, const auto& b) { return a.last_used > b.last_used; });
  return known;
}

}  // namespace headway
