#include "lib/cluster/allocation.h"

#include <fmt/format.h>

#include "lib/base/error.h"
#include "lib/base/json_fields.h"
#include "lib/base/text.h"

namespace headway {
namespace {

namespace names = allocation_files;

}  // namespace

Allocation::Allocation(FileSystem& files, const Path& folder, const Shape& shape,
                       AgentRequest request, const std::string& setup, const Path& program)
    : files_(files), folder_(folder), shape_(shape), request_(std::move(request)) {
  files_.make_directories(folder_);
  files_.replace(folder_ / names::kRequest, to_line(to_json_fields(request_)) + "\n");
  files_.replace(
      folder_ / names::kScript,
      // Set-up lines may take minutes, which are the job's, too.
      fmt::format("#!/bin/sh\nexport {}=$(date +%s)\n{}\nexec {}\n", names::kBegan, setup,
                  quote_for_shell({program.string(), "agent", folder_.string()})));
}

std::unique_ptr<Allocation> Allocation::open(FileSystem& files, const Path& folder) {
  const auto request = read_struct<AgentRequest>(files, folder / names::kRequest);
  if (!request) return nullptr;
  std::unique_ptr<Allocation> allocation(new Allocation(files, folder));
  allocation->request_ = *request;
  try {
    allocation->job.id = trim(files.read(folder / names::kJob).value_or(""));
  } catch (const Error&) {  // Slurm knows it by its name
  }
  allocation->phase = Phase::kQueued;
  allocation->is_taken_over = true;
  return allocation;
}

std::string Allocation::name() const {
  return fmt::format("{}{}-{}", kJobPrefix, folder_.parent_path().parent_path().filename().string(),
                     folder_.filename().string());
}

JobRequest Allocation::job_request(const std::vector<std::string>& excluded) const {
  return {name(),           folder_ / names::kScript, folder_ / names::kOutput,
          shape_.resources, shape_.options,           excluded};
}

void Allocation::note_id(const std::string& id) {
  if (job.id == id) return;
  job.id = id;
  try {
    files_.replace(folder_ / names::kJob, id + "\n");
  } catch (const Error&) {  // Slurm knows it by its name
  }
}

void Allocation::enter(Phase next) {
  if (phase == next) return;
  phase = next;
  changed = Clock::now();
  if (next == Phase::kRunning) idle_since = changed;
  if (next == Phase::kEnded) attempts_at_end = attempts.size();
}

bool Allocation::find_life() {
  std::string newest;
  std::optional<AgentHello> hello;
  for (const std::string& name : files_.list(folder_)) {
    const std::optional<FileInfo> info = files_.info(folder_ / name);
    if (name == life_name_ || !info || !info->is_directory()) continue;
    const auto found = read_struct<AgentHello>(files_, folder_ / name / names::kHello);
    const std::int64_t least = hello ? hello->restarts : restarts_ + 1;
    if (!found || found->restarts < least) continue;
    newest = name;
    hello = found;
  }
  if (!hello) return false;
  const Path folder = folder_ / newest;
  life_.emplace(Life{*hello, MailWriter(files_, folder / names::kOrders),
                     MailReader(files_, folder / names::kNotices), Clock::now()});
  life_name_ = newest;
  restarts_ = hello->restarts;
  heard_ = Clock::now();
  said_bye = false;
  state_ = {};
  state_text_.clear();
  return true;
}

AgentNews Allocation::receive() {
  AgentNews news;
  for (const Json& message : life_->notices.receive()) {
    heard_ = Clock::now();
    for (const auto& [name, list] : {std::pair("began", &news.began), {"ended", &news.ended}}) {
      for (const Json& id : message.value(name, Json::array())) {
        if (id.is_string()) list->push_back(id);
      }
    }
    news.is_bye = news.is_bye || message.contains("bye");
  }
  return news;
}

bool Allocation::refresh_state() {
  std::string text;
  try {
    text = files_.read(folder_ / life_name_ / names::kState).value_or("");
  } catch (const Error&) {
    return false;
  }
  if (text.empty() || text == state_text_) return false;
  state_text_ = text;
  heard_ = Clock::now();
  if (const auto state = AgentState::parse(text)) state_ = *state;
  return true;
}

double Allocation::silence() const {
  return seconds_since(heard_);
}

double Allocation::time_left() const {
  constexpr double kNoLimit = 1e12;
  if (request_.time <= 0) return kNoLimit;
  if (state_.left) return *state_.left - seconds_since(heard_);
  return request_.time - (life_ ? seconds_since(life_->found) : 0);
}

std::string Allocation::node() const {
  return life_ ? life_->hello.node : job.node;
}

std::string Allocation::describe() const {
  const std::string id = job.id.empty() ? "a job" : "job " + job.id;
  return node().empty() ? id : id + " on " + node();
}

}  // namespace headway
