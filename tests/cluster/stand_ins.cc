#include "tests/cluster/stand_ins.h"

#include <fmt/format.h>

#include <catch2/catch_test_macros.hpp>
#include <chrono>
#include <cstdlib>
#include <thread>

#include "lib/base/json_fields.h"
#include "lib/cluster/allocation_files.h"
#include "lib/cluster/attempt_end.h"
#include "lib/worker/protocol.h"

namespace headway::testing {
namespace {

namespace names = allocation_files;

constexpr auto kPatience = std::chrono::seconds(60);

const std::string& build_of_test() {
  static const std::string build = build_stamp("");
  return build;
}

const char* usual(const std::string& command) {
  if (command == "sbatch") return "accept\necho $id\n";
  if (command == "squeue") return "cat $d/queue\n";
  if (command == "scontrol")
    return "shown=$(cat $d/shown-$4 2>/dev/null) && echo \"$shown\" && exit\n"
           "echo 'slurm_load_jobs error: Invalid job id specified'\nexit 1\n";
  if (command == "sacct") return "echo 'Slurm accounting storage is disabled'\nexit 1\n";
  return "";
}

constexpr const char* kAccept = R"(
for word; do case $word in --job-name=*) name=${word#*=};; esac; done
accept() {
  id=$((100 + $(wc -l < $d/sbatch.calls)))
  echo "headway-job|$id|RUNNING|n1|$name|None" >> $d/queue
}
)";

}  // namespace

void wait_until(const std::function<bool()>& condition, const std::string& what) {
  const auto start = std::chrono::steady_clock::now();
  while (!condition()) {
    if (std::chrono::steady_clock::now() - start > kPatience) FAIL("never: " << what);
    std::this_thread::sleep_for(std::chrono::milliseconds(2));
  }
}

// ----------------------------------------------------------------------------------- Slurm ---

StandInSlurm::StandInSlurm() : path_("PATH", nullptr) {
  path_.set((folder_.path().string() + ":/usr/bin:/bin").c_str());
  folder_.write("queue", "");
  for (const char* command : {"sbatch", "squeue", "scontrol", "sacct", "scancel"}) {
    on(command, usual(command));
    // What asks for places in the queue is no question about our jobs.
    const Path script = folder_.write(
        command, fmt::format("#!/bin/sh\nd={0}\ncase \"$*\" in *--states=PENDING*) exit;; esac\n"
                             "echo \"$*\" >> $d/{1}.calls\n{2}. $d/{1}.sh\n",
                             folder_.path().string(), command,
                             command == std::string("sbatch") ? kAccept : ""));
    std::filesystem::permissions(script, std::filesystem::perms::owner_all);
  }
}

void StandInSlurm::on(const std::string& command, const std::string& script) {
  RealFileSystem().replace(folder_ / (command + ".sh"), script + "\n");
}

Names StandInSlurm::calls(const std::string& command) const {
  Names lines = split(folder_.read(command + ".calls"), '\n');
  std::erase(lines, "");
  return lines;
}

void StandInSlurm::wait_for_calls(const std::string& command, std::size_t count) const {
  wait_until([&] { return calls(command).size() >= count; },
             fmt::format("{} calls of {}", count, command));
}

bool StandInSlurm::is_cancelled(const std::string& id) const {
  for (const std::string& line : calls("scancel")) {
    for (const std::string& word : split(line, ' ')) {
      if (word == id) return true;
    }
  }
  return false;
}

void StandInSlurm::set_state(const std::string& id, const std::string& state) {
  Names lines = split(folder_.read("queue"), '\n');
  for (std::string& line : lines) {
    Names cells = split(line, '|');
    if (cells.size() < 6 || cells[1] != id) continue;
    cells[2] = state;
    line = join(cells, "|");
    RealFileSystem().replace(folder_ / ("shown-" + id),
                             fmt::format("JobId={} JobName={} JobState={} ExitCode=0:9 NodeList={}",
                                         id, cells[4], state, cells[3]));
  }
  RealFileSystem().replace(folder_ / "queue", join(lines, "\n"));
}

void StandInSlurm::forget_jobs() {
  RealFileSystem().replace(folder_ / "queue", "");
}

bool StandInSlurm::exists(const std::string& name) const {
  return RealFileSystem().exists(folder_ / name);
}

void StandInSlurm::touch(const std::string& name) const {
  folder_.write(name, "");
}

// ---------------------------------------------------------------------------------- agents ---

StandInAgent::StandInAgent(const Path& allocation, Self self)
    : life(allocation / fmt::format("{}-5-7", self.restarts)) {
  wait_until([&] { return files_.exists(allocation / names::kScript); }, "an allocation");
  orders_ = std::make_unique<MailReader>(files_, life / names::kOrders);
  files_.make_directories(life / names::kNotices);
  notices_ = std::make_unique<MailWriter>(files_, life / names::kNotices);
  const AgentHello hello{self.build.empty() ? build_of_test() : self.build, self.node, self.job,
                         self.restarts, Json{{"node", self.node}}};
  files_.replace(life / names::kHello, to_line(to_json_fields(hello)) + "\n");
}

void StandInAgent::look() {
  for (const Json& order : orders_->receive()) {
    for (const auto& [name, value] : order.items()) told_.push_back(name);
    for (const Json& run : order.value("run", Json::array()))
      sent_.push_back(parse_request(run.at("job").get<std::string>()));
  }
}

std::vector<StageJob> StandInAgent::take(std::size_t count) {
  wait_until([&] { return count_of_runs() >= count; }, fmt::format("{} stages", count));
  return std::exchange(sent_, {});
}

std::size_t StandInAgent::count_of_runs() {
  look();
  return sent_.size();
}

bool StandInAgent::was_told(const std::string& order) {
  look();
  return std::ranges::find(told_, order) != told_.end();
}

void StandInAgent::beat(const std::vector<StageJob>& running, std::uint64_t memory) {
  AgentState state{files_.now_ns() / 1'000'000'000 + ++beats_, memory};
  for (const StageJob& job : running) state.stages[attempt_id(job)] = {0.5, "half", 1};
  files_.replace(life / names::kState, to_line(state.to_json()) + "\n");
}

void StandInAgent::write_outputs(const StageJob& job, const std::string& text) const {
  for (const auto& [name, path] : job.outputs)
    RealFileSystem().write(path, text, Durability::kCached);
}

void StandInAgent::record(const StageJob& job, StageResult result) {
  result.seconds = 0.01;
  result.machine = {{"node", "n1"}};
  // A test's disk need not be synced.
  files_.replace(job.work / "end.json",
                 to_line(describe_end(files_, job, std::move(result)).to_json()) + "\n");
}

void StandInAgent::tell(const Json& news) {
  notices_->send(news);
}

void StandInAgent::finish(const StageJob& job, const std::string& text) {
  write_outputs(job, text);
  record(job);
  tell({{"began", {attempt_id(job)}}, {"ended", {attempt_id(job)}}});
}

// ---------------------------------------------------------------------------------- stages ---

JobEvents Flight::events() {
  const auto self = shared_from_this();
  const auto progress = [self](double, const std::string& words) {
    const std::lock_guard lock(self->mutex_);
    self->words_ = words;
  };
  const auto ended = [self](StageResult result) {
    const std::lock_guard lock(self->mutex_);
    ++self->ends_;
    self->result_ = std::move(result);
    self->changed_.notify_all();
  };
  const auto placed = [self](const JobPlace& place) {
    const std::lock_guard lock(self->mutex_);
    self->place_ = place;
  };
  return {progress, ended, placed};
}

bool Flight::has_ended() {
  const std::lock_guard lock(mutex_);
  return result_.has_value();
}

StageResult Flight::wait() {
  std::unique_lock lock(mutex_);
  if (!changed_.wait_for(lock, kPatience, [&] { return result_.has_value(); }))
    FAIL("the stage never ended");
  CHECK(ends_ == 1);
  return *result_;
}

std::string Flight::node() {
  const std::lock_guard lock(mutex_);
  return place_.node;
}

std::string Flight::waits_for() {
  const std::lock_guard lock(mutex_);
  return place_.waiting;
}

std::string Flight::words() {
  const std::lock_guard lock(mutex_);
  return words_;
}

StandInCluster::StandInCluster() {
  settings.site.poll = 0.05;
  settings.site.visible_within = 0.3;
  settings.site.jobs = 4;
  settings.site.idle = 30;
  settings.folder = folder / "cluster";
  settings.pipeline = "p";
  settings.program = "headway";
  settings.lost_after = 20;  // tests of lost jobs have less patience
}

StandInCluster::~StandInCluster() {
  interrupt->raise();
  interrupt->raise();
  close();
}

void StandInCluster::open(const std::string& session) {
  open(disk, session);
}

void StandInCluster::open(FileSystem& files, const std::string& session) {
  settings.session = session;
  executor = std::make_unique<ClusterExecutor>(files, *commands, settings,
                                               [this](const std::string& text) {
                                                 const std::lock_guard lock(mutex_);
                                                 warnings_.push_back(text);
                                               });
  executor->lasting_works({});  // before the first stage, it does nothing
}

StageJob StandInCluster::job(const std::string& name, const Resources& resources) const {
  StageJob job;
  job.stage = name;
  job.type = "shell";
  job.script = "true";
  job.key = digest_of(name);
  job.resources = resources;
  job.work = executor->lasting_works({}) / fmt::format("{}-{:06}", settings.session, ++jobs_);
  job.partial = folder / "partial" / name;
  job.outputs = {{"o", job.work / "out/o.txt"}};
  std::filesystem::create_directories(job.work / "out");
  return job;
}

std::shared_ptr<Flight> StandInCluster::start(const StageJob& job) {
  auto flight = std::make_shared<Flight>(job);
  flights_.push_back(flight);
  executor->start(flight->job, 0, flight->events(), *interrupt);
  return flight;
}

Path StandInCluster::allocation(int number, const std::string& session) const {
  return session_folder(session) / "allocations" / fmt::format("{:04}", number);
}

std::vector<std::string> StandInCluster::warnings() {
  const std::lock_guard lock(mutex_);
  return warnings_;
}

std::string text_of(const StageJob& job) {
  return RealFileSystem().read(job.outputs.front().second).value_or("");
}

}  // namespace headway::testing
