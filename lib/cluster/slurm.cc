#include "lib/cluster/slurm.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <set>

#include "lib/base/error.h"
#include "lib/base/process.h"
#include "lib/base/text.h"

namespace headway {
namespace {

constexpr const char* kMark = "headway-job";  // begins each line of squeue that is an answer
constexpr std::size_t kIdsAtOnce = 100;       // hundreds in one call have made schedulers hang
constexpr std::size_t kMostOutput = 64 << 20;

bool contains(std::string_view text, std::string_view part) {
  return text.find(part) != std::string_view::npos;
}

bool is_id(std::string_view text) {
  return !text.empty() && std::ranges::all_of(text, is_digit);
}

std::string read_all(int descriptor) {
  std::string text;
  std::array<char, 1 << 16> bytes;
  ::lseek(descriptor, 0, SEEK_SET);
  for (ssize_t count;
       text.size() < kMostOutput && (count = ::read(descriptor, bytes.data(), bytes.size())) > 0;)
    text.append(bytes.data(), static_cast<std::size_t>(count));
  return text;
}

// What stands behind "NAME=" up to the next space.
std::string value_behind(const std::string& text, const std::string& name) {
  for (const std::string& word : split(text, ' ')) {
    if (word.starts_with(name + "=")) return word.substr(name.size() + 1);
  }
  return "";
}

// "CANCELLED by 1000" is CANCELLED.
std::string first_word(const std::string& text) {
  return text.substr(0, text.find_first_of(" +"));
}

}  // namespace

JobInfo::Phase JobInfo::phase() const {
  static const std::set<std::string, std::less<>> kPending = {
      "PENDING", "CONFIGURING", "REQUEUED", "REQUEUE_HOLD", "REQUEUE_FED", "SPECIAL_EXIT"};
  static const std::set<std::string, std::less<>> kEnded = {
      "COMPLETED", "CANCELLED", "FAILED",   "TIMEOUT",       "NODE_FAIL",
      "PREEMPTED", "BOOT_FAIL", "DEADLINE", "OUT_OF_MEMORY", "REVOKED"};
  if (kPending.contains(state)) return Phase::kPending;
  return kEnded.contains(state) ? Phase::kEnded : Phase::kRunning;
}

std::vector<std::string> environment_outside_jobs() {
  std::vector<std::string> environment;
  for (char** variable = ::environ; *variable; ++variable) {
    const std::string_view setting = *variable;
    if (!setting.starts_with("SLURM_") || setting.starts_with("SLURM_CONF="))
      environment.emplace_back(setting);
  }
  return environment;
}

Slurm::Answer Slurm::call(std::vector<std::string> words) {
  const std::string program = words.front();
  const auto complain = [&](const std::string& text) { complaint_ = program + ": " + text; };
  try {
    const Descriptor output(::memfd_create("headway-slurm", MFD_CLOEXEC));
    if (!output) throw Error("no memory for its output");
    words.insert(words.begin(), "/usr/bin/env");  // which looks it up in PATH
    Process process({.argv = std::move(words),
                     .environment = environment_outside_jobs(),
                     .directory = "/",
                     .output = output.get()});
    if (!process.wait_for(seconds_)) {
      complain("no answer within " + format_duration(seconds_));
      return {};
    }
    const ProcessExit exit = process.reap();
    Answer answer{exit.succeeded(), exit.signal == 0, read_all(output.get())};
    if (answer.succeeded)
      complaint_.clear();
    else
      complain(fit(printable(trim(answer.text)), 300));
    return answer;
  } catch (const Error& error) {
    complain(error.what());
    return {};
  }
}

std::vector<std::string> submission_flags(const JobRequest& request) {
  const Resources& wanted = request.resources;
  std::vector<std::string> flags = {"--parsable",
                                    "--no-requeue",  // a lost stage is tried again by us
                                    "--nodes=1",
                                    "--ntasks=1",
                                    "--job-name=" + request.name,
                                    "--output=" + request.output.string(),
                                    "--open-mode=append",
                                    fmt::format("--cpus-per-task={}", wanted.cpus)};
  if (wanted.time > 0) flags.push_back(fmt::format("--time={}", std::ceil(wanted.time / 60)));
  if (wanted.memory > 0)
    flags.push_back(fmt::format("--mem={}M", (wanted.memory + (1 << 20) - 1) >> 20));
  if (wanted.gpus > 0) flags.push_back(fmt::format("--gpus={}", wanted.gpus));
  const SlurmOptions& options = request.options;
  for (const auto& [flag, value] : {std::pair("--partition=", options.partition),
                                    {"--account=", options.account},
                                    {"--qos=", options.qos},
                                    {"--constraint=", options.constraint}}) {
    if (!value.empty()) flags.push_back(flag + value);
  }
  if (!request.excluded.empty()) flags.push_back("--exclude=" + join(request.excluded, ","));
  flags.insert(flags.end(), options.flags.begin(), options.flags.end());
  flags.push_back(request.script.string());
  return flags;
}

Submission parse_submission(bool succeeded, bool has_ended, const std::string& text) {
  using Status = Submission::Status;
  const std::string said = fit(printable(trim(text)), 400);
  if (!has_ended) return {Status::kUnknown, "", said.empty() ? "no answer" : said};
  if (succeeded) {
    std::string id;
    for (const std::string& line : split(text, '\n')) {         // warnings may stand around it
      const std::string word = line.substr(0, line.find(';'));  // "17;cluster"
      if (is_id(word)) id = word;
    }
    if (id.empty()) return {Status::kUnknown, "", "it printed no job id: " + said};
    return {Status::kAccepted, id};
  }
  // An answer may be lost after the job was accepted.
  for (const char* unknown : {"timed out", "Zero Bytes were transmitted",
                              "Communication connection"
                              " failure",
                              "Unexpected message received"}) {
    if (contains(text, unknown)) return {Status::kUnknown, "", said};
  }
  const bool is_final = contains(text, "PerJob");  // the job itself asks for too much
  for (const char* busy :
       {"Unable to contact", "Connection refused", "temporarily unable", "Resource temporarily",
        "try again", "retry", "SubmitJob", "job submit limit", "in standby", "Slurm backup"}) {
    if (!is_final && contains(text, busy)) return {Status::kBusy, "", said};
  }
  return {Status::kRefused, "", said.empty() ? "sbatch failed and did not say why" : said};
}

std::string Slurm::missing() {
  const Answer answer = call({"sinfo", "--noheader", "--format=%P"});
  if (answer.succeeded || !answer.has_ended) return "";
  const Submission::Status status = parse_submission(false, true, answer.text).status;
  return status == Submission::Status::kRefused ? complaint_ : "";
}

Submission Slurm::submit(const JobRequest& request) {
  std::vector<std::string> words = submission_flags(request);
  words.insert(words.begin(), "sbatch");
  const Answer answer = call(std::move(words));
  Submission submission = parse_submission(answer.succeeded, answer.has_ended, answer.text);
  if (submission.status == Submission::Status::kUnknown && !complaint_.empty())
    submission.said = complaint_;
  return submission;
}

std::optional<std::map<std::string, JobInfo>> parse_queue(const std::string& text) {
  std::map<std::string, JobInfo> jobs;
  for (const std::string& line : split(text, '\n')) {
    if (trim(line).empty() || line.starts_with("squeue: ")) continue;  // it warns of something
    const std::vector<std::string> cells = split(line, '|');
    if (cells.size() < 6 || cells[0] != kMark) return std::nullopt;
    if (!cells[4].starts_with(kJobPrefix)) continue;  // another job of the user
    if (!is_id(cells[1])) return std::nullopt;
    JobInfo job{cells[1], cells[4], first_word(cells[2]), cells[3], cells[5]};
    // A request whose answer was lost may have been accepted twice: the one that has ended must not
    // hide the other.
    JobInfo& known = jobs[job.name];
    if (known.id.empty() || known.phase() == JobInfo::Phase::kEnded) known = std::move(job);
  }
  return jobs;
}

std::optional<std::map<std::string, JobInfo>> Slurm::jobs() {
  const Answer answer =
      call({"squeue", "--noheader", "--states=all", fmt::format("--user={}", ::getuid()),
            fmt::format("--format={}|%A|%T|%N|%j|%r", kMark)});
  if (!answer.succeeded) return std::nullopt;
  std::optional<std::map<std::string, JobInfo>> jobs = parse_queue(answer.text);
  if (!jobs) complaint_ = "squeue: not an answer: " + fit(printable(trim(answer.text)), 200);
  return jobs;
}

std::optional<JobInfo> parse_job_line(const std::string& text) {
  JobInfo job{.id = value_behind(text, "JobId"),
              .name = value_behind(text, "JobName"),
              .state = value_behind(text, "JobState"),
              .node = value_behind(text, "NodeList"),
              .reason = value_behind(text, "Reason"),
              .exit_code = value_behind(text, "ExitCode")};
  if (job.node == "(null)") job.node.clear();
  if (!is_id(job.id) || job.state.empty()) return std::nullopt;
  return job;
}

std::optional<Slurm::Details> Slurm::details(const JobInfo& job) {
  const Answer shown = call({"scontrol", "--oneliner", "show", "job", job.id});
  const std::optional<JobInfo> found = shown.succeeded ? parse_job_line(shown.text) : std::nullopt;
  // Another name: the id belongs to somebody else's job by now.
  if (found && found->name == job.name) return Details{false, *found};
  const bool is_gone = found || contains(shown.text, "Invalid job id");
  if (has_accounts_ && is_gone) {
    const Answer account = call({"sacct", "--noheader", "--parsable2", "--allocations",
                                 "--jobs=" + job.id, "--format=JobName,State,NodeList,ExitCode"});
    has_accounts_ = account.succeeded && !contains(account.text, "disabled");
    for (const std::string& line : split(account.text, '\n')) {
      const std::vector<std::string> cells = split(line, '|');
      if (!account.succeeded || cells.size() != 4 || cells[0] != job.name) continue;
      const JobInfo ended{job.id, job.name, first_word(cells[1]), cells[2], "", cells[3]};
      // The accounts may call a job running for ever that the controller has forgotten.
      if (ended.phase() == JobInfo::Phase::kEnded) return Details{false, ended};
    }
  }
  if (is_gone) return Details{.is_gone = true};
  return std::nullopt;
}

std::map<std::string, int> Slurm::places() {
  const Answer answer = call({"squeue", "--noheader", "--states=PENDING", "--sort=-p,i",
                              fmt::format("--format={}|%i|%P", kMark)});
  std::map<std::string, int> places;
  std::map<std::string, int> ahead;  // by partition
  if (!answer.succeeded) return places;
  for (const std::string& line : split(answer.text, '\n')) {
    const std::vector<std::string> cells = split(line, '|');
    if (cells.size() == 3 && cells[0] == kMark) places[cells[1]] = ++ahead[cells[2]];
  }
  return places;
}

bool Slurm::cancel(const std::vector<std::string>& ids) {
  bool succeeded = true;
  for (std::size_t begin = 0; begin < ids.size(); begin += kIdsAtOnce) {
    std::vector<std::string> words = {"scancel"};
    const std::size_t end = std::min(ids.size(), begin + kIdsAtOnce);
    for (std::size_t i = begin; i < end; ++i) words.push_back(ids[i]);
    const Answer answer = call(std::move(words));
    // A job that has ended by itself needs no cancelling.
    succeeded = succeeded && (answer.succeeded || contains(answer.text, "Invalid job id"));
  }
  return succeeded;
}

}  // namespace headway
