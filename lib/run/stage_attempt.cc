#include "lib/run/stage_attempt.h"

#include <fmt/chrono.h>
#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <chrono>

#include "lib/base/json.h"
#include "lib/base/machine.h"
#include "lib/base/process.h"
#include "lib/base/text.h"
#include "lib/run/attempt_log.h"
#include "lib/run/partial_state.h"

namespace headway {
namespace {

using Clock = std::chrono::steady_clock;

constexpr double kWorthSyncingSeconds = 1;  // cheaper results may be lost in a power cut
constexpr int kMostLost = 3;                // attempts, after which a stage that is lost has failed
constexpr std::size_t kTailBytes = 16 << 10;
constexpr std::size_t kTailLines = 15;

std::string last_lines(const std::string& text) {
  if (trim(text).empty()) return "";
  std::vector<std::string> lines = split(trim(text), '\n');
  if (lines.size() > kTailLines) lines.erase(lines.begin(), lines.end() - kTailLines);
  std::string tail;
  for (std::string& line : lines) {
    if (line.ends_with('\r')) line.pop_back();
    tail += fit(printable(line), 300) + "\n";
  }
  return tail;
}

StageStatus status_of(StageResult::Status status) {
  if (status == StageResult::Status::kSucceeded) return StageStatus::kDone;
  return status == StageResult::Status::kCancelled ? StageStatus::kCancelled : StageStatus::kFailed;
}

// Whether a command uses {partial}.
bool uses_partial(const StageJob& job) {
  return job.script.find(quote_for_shell(job.partial.string())) != std::string::npos;
}

bool is_plain_word(std::string_view text) {
  return !text.empty() && std::ranges::all_of(text, [](unsigned char c) {
    return std::isalnum(c) || c == '_' || c == '-';
  });
}

// "continues from 4 epochs"
std::string continues_text(std::int64_t done, const std::string& unit) {
  const bool singular = done == 1 && unit.ends_with('s');
  return fmt::format("continues from {} {}", done,
                     singular ? unit.substr(0, unit.size() - 1) : unit);
}

}  // namespace

StageAttempt::StageAttempt(AttemptContext& context, const StageSpec& stage, const Digest& key,
                           const std::vector<SourcedFact>& facts, const Finished& finished,
                           bool forced, std::size_t rank)
    : context_(context),
      files_(context.store.files()),
      stage_(stage),
      facts_(facts),
      forced_(forced),
      rank_(rank) {
  inputs_ = context.facts.inputs_of(stage, finished, objects_);
  record_.key = key;
  record_.stage = stage.name;
  record_.pipeline = context.pipeline.label();
  record_.version = kVersion;
  record_.run = context.session.id();
  record_.machine = machine_facts();
  for (const SourcedFact& sourced : facts) record_.facts.push_back(sourced.fact);
  for (const ParamReference& reference : stage.references)
    record_.references.push_back({reference.name, reference.value});
  prefix_ = run_prefix_of(*stage.type, record_.facts);
}

std::string StageAttempt::prepare() {
  ++number_;
  const std::string name = fmt::format("{:06}", ++context_.count);
  const std::string id = context_.session.id() + "-" + name;
  const Path lasting = context_.executor.lasting_works(*stage_.type);
  const AttemptFolders folders{lasting.empty() ? context_.session.work() / name : lasting / id,
                               context_.store.layout().partial(record_.key, id)};
  const std::optional<AttemptFolders> running =
      forced_ ? std::nullopt : context_.executor.take_over(*stage_.type, record_.key);
  is_taken_over_ = running.has_value();
  prepare_job(running.value_or(folders));
  keeps_state_ = !stage_.type->builtin && (job_.script.empty() || uses_partial(job_));
  if (is_taken_over_) {
    log_begin_ = begin_of_last_attempt(files_, job_.log);
    return "takes over an earlier attempt";
  }
  if (forced_ && number_ == 1) remove_partial_states(context_.store, record_.key);
  const bool resumes = keeps_state_ && resume_partial_state(context_.store, record_.key,
                                                            job_.partial, context_.observer);
  std::int64_t done = 0;
  if (prefix_ && !forced_ && !resumes)
    done = copy_prefix_state(context_.store, context_.observer, stage_.name, *prefix_, job_.partial,
                             context_.session.work());
  if (uses_partial(job_)) files_.make_directories(job_.partial);
  if (forced_ && number_ == 1) files_.remove(job_.log);  // it is about the result made anew
  log_begin_ = continue_log(files_, job_.log, log_title());
  return done > 0 ? continues_text(done, stage_.type->prefix_params->amount) : "";
}

std::string StageAttempt::log_title() {
  const auto now = fmt::localtime(static_cast<std::time_t>(files_.now_ns() / 1'000'000'000));
  if (number_ == 1) return fmt::format("{}{:%Y-%m-%d %H:%M:%S}", kTitleOfRun, now);
  return fmt::format("{}{} of {}, {:%H:%M:%S}", kTitleOfRetry, number_, stage_.retries + 1 + lost_,
                     now);
}

void StageAttempt::start(std::function<void(StageResult)> ended) {
  const Clock::time_point started = Clock::now();
  const auto progress = [this](double fraction, const std::string& words) {
    context_.observer.stage_progress(stage_.name, fraction, words);
  };
  const auto stop_clock = [this, started, ended = std::move(ended)](StageResult result) {
    seconds_ = result.seconds > 0 ? result.seconds
                                  : std::chrono::duration<double>(Clock::now() - started).count();
    ended(std::move(result));
  };
  const auto placed = [this](const JobPlace& place) {
    context_.observer.stage_placed(stage_.name, place);
  };
  context_.executor.start(job_, stage_.timeout, {progress, stop_clock, placed}, context_.interrupt);
}

AttemptOutcome StageAttempt::finish(const StageResult& result) {
  if (!result.notice.empty())
    context_.observer.warning(fmt::format("stage '{}': {}", stage_.name, result.notice));
  was_lost_ = result.status == StageResult::Status::kLost;
  AttemptOutcome outcome = outcome_of(result);
  remove_work(result);
  if (keeps_state_ && outcome.record) remove_state();
  outcome.end.stage = stage_.name;
  outcome.end.key = record_.key.hex();
  outcome.should_retry = outcome.should_retry && outcome.end.status == StageStatus::kFailed &&
                         !context_.interrupt.requested() && may_retry();
  if (outcome.should_retry) {
    context_.observer.warning(fmt::format("stage '{}' {} ({}); trying again ({} of {})",
                                          stage_.name, was_lost_ ? "was lost" : "failed",
                                          outcome.end.message, was_lost_ ? lost_ : number_ - lost_,
                                          was_lost_ ? kMostLost : stage_.retries));
  }
  return outcome;
}

// A lost attempt says nothing of the stage, so it does not count as one of its retries.
bool StageAttempt::may_retry() {
  if (was_lost_) return ++lost_ <= kMostLost;
  return number_ - lost_ <= stage_.retries;
}

void StageAttempt::remove_work(const StageResult& result) {
  if (result.is_left_running) return;
  try {
    files_.remove(job_.work);
  } catch (const Error&) {  // a lost attempt may still write there; nobody reads it
    if (result.status != StageResult::Status::kLost) throw;
  }
}

// The result is in the store, so nobody needs the state; if it cannot be removed, gc does it later.
void StageAttempt::remove_state() {
  try {
    remove_partial_states(context_.store, record_.key);
  } catch (const Error&) {  // a lost attempt may still write there
  }
}

void StageAttempt::prepare_job(const AttemptFolders& folders) {
  StageJob job;
  job.stage = stage_.name;
  job.type = stage_.type->name;
  job.params = to_json(stage_.params);
  job.inputs = inputs_;
  job.work = folders.work;
  job.partial = folders.partial;
  job.log = context_.store.layout().log(record_.key);
  for (const SourcedFact& sourced : facts_) {
    if (sourced.kind == FactKind::kProvenance)
      job.provenance = context_.store.layout().list(list_digest(sourced.fact.value).value());
  }
  job.key = record_.key;
  job.resources = stage_.resources;
  job.rank = rank_;
  job.resume_on_other_numerics = context_.resume_on_other_numerics;
  job.folder = stage_.type->is_declared() ? stage_.type->folder : context_.pipeline.folder;
  job.environment = inherited_environment(subjects_of(facts_, FactKind::kVariable));
  const Path outputs = job.work / "out";
  files_.make_directories(job.work);
  files_.make_directories(outputs);
  for (const Output& output : stage_.outputs) {
    const Path path = outputs / output.file;
    if (path.parent_path() != outputs) files_.make_directories(path.parent_path());
    job.outputs.emplace_back(output.name, path);
  }
  if (stage_.type->command) {
    link_inputs(job);
    job.script = stage_.type->command(job);
  }
  job_ = std::move(job);
}

// A command sees its inputs as links: one that replaces an input (`sed -i`) replaces the link, not
// the object in the store. Link names contain only what the key covers.
void StageAttempt::link_inputs(StageJob& job) {
  for (std::size_t i = 0; i < job.inputs.size(); ++i) {
    InputPaths& input = job.inputs[i];
    const Path name =
        job.work / (is_plain_word(input.port) ? "in-" + input.port : fmt::format("input-{}", i));
    const bool is_single = input.paths.size() == 1;
    if (!is_single) files_.make_directories(name);
    for (std::size_t k = 0; k < input.paths.size(); ++k) {
      const std::string extension = plain_extension(input.paths[k]);
      const Path link =
          is_single ? Path(name.string() + extension) : name / fmt::format("{}{}", k, extension);
      if (!is_taken_over_) context_.links.make(input.paths[k], link);
      input.paths[k] = link;
    }
  }
}

AttemptOutcome StageAttempt::outcome_of(const StageResult& result) {
  AttemptOutcome outcome;
  StageEnd& end = outcome.end;
  Record record = record_;
  end.seconds = seconds_;
  end.cpu_seconds = record.cpu_seconds = result.cpu_seconds;
  end.peak_memory = record.peak_memory = result.peak_memory;
  end.memory_asked = result.memory_asked > 0 ? result.memory_asked : stage_.resources.memory;
  end.is_left_running = result.is_left_running;
  if (!result.machine.is_null()) record.machine = result.machine;
  end.node = result.machine.is_object() ? result.machine.value("node", "") : "";
  record.numerics = result.numerics;
  if (files_.exists(job_.log)) end.log = job_.log;  // what the engine does itself prints nothing
  record.seconds = end.seconds;
  record.finished = files_.now_ns() / 1'000'000'000;
  end.status = status_of(result.status);
  end.message = result.message;
  if (end.status != StageStatus::kCancelled) {
    const std::string disturbance = find_disturbance(result);
    outcome.should_retry = disturbance.empty();
    if (!disturbance.empty()) {
      end.status = StageStatus::kFailed;
      end.message += (end.message.empty() ? "" : "; ") + disturbance;
    }
  }
  if (end.status == StageStatus::kDone) {
    end.message = commit(record);
    if (end.message.empty()) {
      outcome.record = std::make_shared<const Record>(std::move(record));
      return outcome;
    }
    end.status = StageStatus::kFailed;
  }
  end.command = job_.script;
  end.log_tail = last_lines(end_of_attempt(files_, job_.log, log_begin_, kTailBytes));
  return outcome;
}

std::string StageAttempt::find_disturbance(const StageResult& result) {
  for (const InputObject& input : objects_) {
    const std::string what = context_.store.check_untouched(input.object);
    if (!what.empty())
      return fmt::format(
          "input '{}' ({}) {} while the stage ran, so nothing is kept of it; a "
          "stage must not write to its inputs. Run again to make both anew",
          input.port, input.upstream, what);
  }
  const std::string changed = context_.facts.changed_file(facts_);
  if (!changed.empty()) return changed;
  if (result.machine.is_null()) return full_disk(files_, job_.work);
  // It ran on another machine, so our folder for temporary files says nothing of it.
  return files_.is_full(job_.work) ? "no space left on the disk of " + job_.work.string() : "";
}

// Writes the objects first, then the record. Returns what is wrong with the outputs ("": nothing);
// throws Error if the store cannot be written.
std::string StageAttempt::commit(Record& record) {
  for (const auto& [name, path] : job_.outputs) {
    const std::optional<FileInfo> info = files_.info(path);
    if (!info)
      return fmt::format("output '{}' was not written (expected {})", name,
                         path.filename().string());
    if (info->kind == FileInfo::Kind::kSymlink || info->kind == FileInfo::Kind::kOther)
      return fmt::format("output '{}' is neither a file nor a folder", name);
    if (name == "metrics") {
      const std::string mistake =
          info->is_directory() ? "it is a folder" : json_mistake(files_.read(path).value_or(""));
      if (!mistake.empty()) return "output 'metrics' is not JSON: " + mistake;
    }
  }
  std::call_once(context_.origin_made, [&] {
    if (context_.make_origin) context_.origin = context_.make_origin();
  });
  record.origin = context_.origin;
  const Durability durability =
      record.seconds > kWorthSyncingSeconds ? Durability::kSynced : Durability::kCached;
  for (std::size_t i = 0; i < job_.outputs.size(); ++i) {
    const auto& [name, path] = job_.outputs[i];
    record.outputs.push_back({name, stage_.outputs[i].file, context_.store.put(path, durability)});
  }
  context_.store.save(record, durability);
  if (prefix_ && !prefix_->is_whole())
    keep_prefix_state(context_.store, context_.observer, stage_.name, *prefix_, record.key,
                      job_.partial);
  return "";
}

}  // namespace headway
