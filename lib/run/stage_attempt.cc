#include "lib/run/stage_attempt.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <chrono>
#include <cstdlib>
#include <thread>

#include "lib/base/error.h"
#include "lib/base/json.h"
#include "lib/base/machine.h"
#include "lib/base/text.h"

namespace headway {
namespace {

using Clock = std::chrono::steady_clock;

constexpr double kWorthSyncingSeconds = 1;  // cheaper results are made again after a power cut
constexpr std::size_t kTailBytes = 16 << 10;
constexpr std::size_t kTailLines = 15;
constexpr auto kLockPoll = std::chrono::milliseconds(20);

std::string last_lines(const std::string& text) {
  if (trim(text).empty()) return "";
  const std::vector<std::string> lines = split(trim(text), '\n');
  std::string tail;
  for (std::size_t i = lines.size() > kTailLines ? lines.size() - kTailLines : 0; i < lines.size();
       ++i) {
    tail += fit(printable(lines[i].ends_with('\r') ? lines[i].substr(0, lines[i].size() - 1)
                                                   : lines[i]),
                300) +
            "\n";
  }
  return tail;
}

// Names of environment variables among a stage's parameters.
void collect_variables(const Schema& schema, const Value& params, std::vector<std::string>& names) {
  for (const Field& field : schema.fields()) {
    const Value* value = params.find(field.name);
    if (!value) continue;
    if (field.group) collect_variables(*field.group, *value, names);
    if (field.type != FieldType::kVariable) continue;
    const ValueList single{*value};
    for (const Value& item : value->list() ? *value->list() : single) names.push_back(*item.text());
  }
}

StageReport::Status status_of(StageResult::Status status) {
  switch (status) {
    case StageResult::Status::kSucceeded:
      return StageReport::Status::kDone;
    case StageResult::Status::kCancelled:
      return StageReport::Status::kCancelled;
    default:
      return StageReport::Status::kFailed;
  }
}

// Of a command: whether it names the folder that survives an interruption.
bool uses_partial(const StageJob& job) {
  return job.script.find(quote_for_shell(job.partial.string())) != std::string::npos;
}

bool is_plain_word(std::string_view text) {
  return !text.empty() && std::ranges::all_of(text, [](unsigned char c) {
    return std::isalnum(c) || c == '_' || c == '-';
  });
}

// Where programs write what they do not keep.
Path temporary_folder() {
  const char* set = std::getenv("TMPDIR");
  return set && *set ? set : "/tmp";
}

// "continues from 4 epochs"
std::string continues_text(std::int64_t done, const std::string& unit) {
  const bool singular = done == 1 && unit.ends_with('s');
  return fmt::format("continues from {} {}", done,
                     singular ? unit.substr(0, unit.size() - 1) : unit);
}

}  // namespace

Made StageMaker::make(const StageSpec& stage, const Digest& key,
                      const std::vector<SourcedFact>& facts, const Finished& finished, bool forced,
                      const Starting& starting) {
  bool waited = false;
  std::unique_ptr<FileLock> lock = wait_for_lock(stage, key, waited);
  // Who held the lock before us may have made it.
  std::optional<Record> record = forced ? std::nullopt : store_.find(key);
  Made made;
  if (record) {
    made.record = std::make_shared<const Record>(std::move(*record));
    made.report.status = StageReport::Status::kFresh;
  } else {
    Basis basis{stage, facts, {}, {}};
    basis.inputs = facts_.inputs_of(stage, finished, basis.objects);
    made = make_locked(basis, key, forced, starting);
  }
  store_.unlock(key, std::move(lock));
  made.report.stage = stage.name;
  made.report.key = key.hex();
  return made;
}

std::unique_ptr<FileLock> StageMaker::wait_for_lock(const StageSpec& stage, const Digest& key,
                                                    bool& waited) {
  for (;;) {
    if (std::unique_ptr<FileLock> lock = store_.try_lock(key)) return lock;
    if (!waited)
      observer_.warning(
          fmt::format("stage '{}' is being made by another process; waiting for it", stage.name));
    waited = true;
    if (interrupt_.requested()) throw Cancelled();
    std::this_thread::sleep_for(kLockPoll);
  }
}

Made StageMaker::make_locked(const Basis& basis, const Digest& key, bool forced,
                             const Starting& starting) {
  const StageSpec& stage = basis.stage;
  Record record;
  record.key = key;
  record.stage = stage.name;
  record.pipeline = pipeline_.label();
  record.version = kVersion;
  record.run = run_;
  record.machine = machine_facts();
  for (const SourcedFact& sourced : basis.facts) record.facts.push_back(sourced.fact);
  for (const ParamReference& reference : stage.references)
    record.references.push_back({reference.name, reference.value});
  const std::optional<Portion> portion =
      forced ? std::nullopt : portion_of(*stage.type, record.facts);
  for (int number = 1;; ++number) {
    const std::string name = fmt::format("{:06}", ++attempts_);
    PartialState partial(store_, key, run_ + "-" + name);
    const StageJob job = prepare_job(basis, record, work_ / name, partial.path());
    const bool keeps_state = !stage.type->builtin && (job.script.empty() || uses_partial(job));
    const bool resumes = keeps_state && partial.resume(observer_);
    const std::int64_t done =
        portion && !resumes ? continuations_.seed(stage.name, *portion, partial.path()) : 0;
    if (uses_partial(job)) files_.make_directories(job.partial);
    starting(number, done > 0 ? continues_text(done, stage.type->continuation->amount) : "");
    Made made = attempt(basis, job, record);
    files_.remove(job.work);
    if (keeps_state && made.record) partial.remove();
    const bool retry = made.report.status == StageReport::Status::kFailed &&
                       made.is_worth_retrying && number <= stage.retries && !interrupt_.requested();
    if (!retry) return made;
    observer_.warning(fmt::format("stage '{}' failed ({}); trying again ({} of {})", stage.name,
                                  made.report.message, number, stage.retries));
  }
}

StageJob StageMaker::prepare_job(const Basis& basis, const Record& record, const Path& work,
                                 const Path& partial) {
  const StageSpec& stage = basis.stage;
  StageJob job;
  job.stage = stage.name;
  job.type = stage.type->name;
  job.params = to_json(stage.params);
  job.inputs = basis.inputs;
  job.work = work;
  job.partial = partial;
  job.log = store_.layout().log(record.key);
  for (const Fact& fact : record.facts) {
    if (fact.name == kProvenanceFact) job.provenance = store_.layout().list(list_digest(fact));
  }
  job.cpus = stage.resources.cpus;
  job.folder = pipeline_.folder;
  collect_variables(*stage.type->params, stage.params, job.variables);
  const Path outputs = job.work / "out";
  files_.make_directories(job.work);
  files_.make_directories(outputs);
  for (const Output& output : stage.outputs) {
    const Path path = outputs / output.file;
    if (path.parent_path() != outputs) files_.make_directories(path.parent_path());
    job.outputs.emplace_back(output.name, path);
  }
  if (stage.type->command) {
    link_inputs(job);
    job.script = stage.type->command(job);
  }
  return job;
}

// A command sees its inputs as links, so that one that replaces an input (`sed -i`) replaces the
// link and not what the store has. The names say nothing that the key does not know.
void StageMaker::link_inputs(StageJob& job) {
  for (std::size_t i = 0; i < job.inputs.size(); ++i) {
    InputPaths& input = job.inputs[i];
    const Path name =
        job.work / (is_plain_word(input.port) ? "in-" + input.port : fmt::format("input-{}", i));
    const bool is_single = input.paths.size() == 1;
    if (!is_single) files_.make_directories(name);
    for (std::size_t k = 0; k < input.paths.size(); ++k) {
      const std::string extension = input.paths[k].extension().string();
      const Path link =
          is_single ? Path(name.string() + extension) : name / fmt::format("{}{}", k, extension);
      files_.make_link(input.paths[k], link);
      input.paths[k] = link;
    }
  }
}

Made StageMaker::attempt(const Basis& basis, const StageJob& job, Record record) {
  Made made;
  StageReport& report = made.report;
  const Clock::time_point start = Clock::now();
  const ProgressSink progress = [&](double fraction, const std::string& words) {
    observer_.stage_progress(job.stage, fraction, words);
  };
  const StageResult result = executor_.execute(job, basis.stage.timeout, progress, interrupt_);
  report.seconds = std::chrono::duration<double>(Clock::now() - start).count();
  report.cpu_seconds = record.cpu_seconds = result.cpu_seconds;
  report.peak_memory = record.peak_memory = result.peak_memory;
  if (files_.exists(job.log)) report.log = job.log;  // what the engine does itself prints nothing
  record.seconds = report.seconds;
  record.finished = files_.now_ns() / 1'000'000'000;
  report.status = status_of(result.status);
  report.message = result.message;
  if (report.status != StageReport::Status::kCancelled) {
    const std::string why = doubt(basis, job);
    made.is_worth_retrying = why.empty();
    if (!why.empty()) {
      report.status = StageReport::Status::kFailed;
      report.message += (report.message.empty() ? "" : "; ") + why;
    }
  }
  if (report.status == StageReport::Status::kDone) {
    report.message = commit(basis.stage, job, record);
    if (report.message.empty()) {
      made.record = std::make_shared<const Record>(std::move(record));
      return made;
    }
    report.status = StageReport::Status::kFailed;
  }
  report.command = job.script;
  report.log_tail = last_lines(files_.read_end(job.log, kTailBytes));
  return made;
}

std::string StageMaker::doubt(const Basis& basis, const StageJob& job) {
  for (const InputObject& input : basis.objects) {
    const std::string what = store_.check_untouched(input.object);
    if (!what.empty())
      return fmt::format(
          "input '{}' ({}) {} while the stage ran, so nothing is kept of it; a "
          "stage must not write to its inputs. Run again to make both anew",
          input.port, input.upstream, what);
  }
  const std::string changed = facts_.changed_file(basis.facts);
  if (!changed.empty()) return changed;
  // A program on a full disk may not notice that it wrote only half, and its log is lost with it.
  for (const Path& folder : {job.work, temporary_folder()}) {
    if (files_.free_bytes(folder) < kFullDiskBytes)
      return "no space left on the disk of " + folder.string();
  }
  return "";
}

// Objects first, the record last. Says what is wrong with the outputs; throws where the store
// cannot be written.
std::string StageMaker::commit(const StageSpec& stage, const StageJob& job, Record& record) {
  for (const auto& [name, path] : job.outputs) {
    const std::optional<FileInfo> info = files_.info(path);
    if (!info)
      return fmt::format("output '{}' was not written (expected {})", name,
                         path.filename().string());
    if (info->kind == FileInfo::Kind::kSymlink || info->kind == FileInfo::Kind::kOther) {
      return fmt::format("output '{}' is neither a file nor a folder", name);
    }
    if (name == "metrics") {
      const std::string mistake =
          info->is_directory() ? "it is a folder" : json_mistake(files_.read(path).value_or(""));
      if (!mistake.empty()) return "output 'metrics' is not JSON: " + mistake;
    }
  }
  const Durability durability =
      record.seconds > kWorthSyncingSeconds ? Durability::kSynced : Durability::kCached;
  for (std::size_t i = 0; i < job.outputs.size(); ++i) {
    const auto& [name, path] = job.outputs[i];
    record.outputs.push_back({name, stage.outputs[i].file, store_.put(path, durability)});
  }
  store_.save(record, durability);
  const std::optional<Portion> portion = portion_of(*stage.type, record.facts);
  if (portion && portion->is_part())
    continuations_.keep(stage.name, *portion, record.key, job.partial);
  return "";
}

}  // namespace headway
