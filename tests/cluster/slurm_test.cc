// What Slurm's commands print, and what they are given.
#include "lib/cluster/slurm.h"

#include <algorithm>
#include <catch2/catch_test_macros.hpp>

#include "tests/support/project.h"

namespace headway::testing {
namespace {

using Status = Submission::Status;

// sbatch has printed this and exited with 0.
Submission accepted(const std::string& text) {
  return parse_submission(true, true, text);
}
// sbatch has printed this and exited with 1.
Submission failed_with(const std::string& text) {
  return parse_submission(false, true, text);
}

TEST_CASE("sbatch prints the id of the job, with warnings around it") {
  CHECK(accepted("17\n").id == "17");
  CHECK(accepted("17;cluster\n").id == "17");
  CHECK(accepted("sbatch: Warning: can't run 1 processes on 2 nodes\n17\n").id == "17");
  CHECK(accepted("17\nsbatch: lua: think of the environment\n").id == "17");
  CHECK(accepted("17").status == Status::kAccepted);
}

TEST_CASE("an answer without an id says nothing about the job") {
  for (const char* text : {"", "\n", "Submitted\n", "-3\n", "17 18\n", "x17\n", ";cluster\n"}) {
    CAPTURE(text);
    CHECK(accepted(text).status == Status::kUnknown);
    CHECK(accepted(text).said.starts_with("it printed no job id"));
  }
}

TEST_CASE("sbatch without an answer in time may have submitted the job") {
  CHECK(parse_submission(false, false, "").status == Status::kUnknown);
  CHECK(parse_submission(false, false, "").said == "no answer");
  CHECK(parse_submission(false, false, "sbatch: waiting").said == "sbatch: waiting");
}

TEST_CASE("sbatch that lost the controller's answer may have submitted the job") {
  for (const char* text :
       {"sbatch: error: Batch job submission failed: Socket timed out on send/recv operation",
        "sbatch: error: Batch job submission failed: Zero Bytes were transmitted or received",
        "sbatch: error: Batch job submission failed: Unexpected message received"}) {
    CAPTURE(text);
    CHECK(failed_with(text).status == Status::kUnknown);
    CHECK(failed_with(text).said == text);
  }
}

TEST_CASE("a controller that is down, or a limit on jobs, is a reason to try again") {
  for (const char* text :
       {"sbatch: error: Batch job submission failed: Unable to contact slurm controller (connect "
        "failure)",
        "sbatch: error: slurm_persist_conn_open_without_init: Connection refused",
        "sbatch: error: AssocMaxSubmitJobLimit", "sbatch: error: QOSMaxSubmitJobPerUserLimit",
        "sbatch: error: Slurm temporarily unable to accept job, sleeping and retrying",
        "sbatch: error: Batch job submission failed: Job violates accounting/QOS policy (job "
        "submit limit, user's size and/or time limits)",
        "sbatch: error: Batch job submission failed: Resource temporarily unavailable"}) {
    CAPTURE(text);
    CHECK(failed_with(text).status == Status::kBusy);
  }
}

TEST_CASE("any other failure of sbatch is a refusal, with its words") {
  const std::string text =
      "sbatch: error: invalid partition specified: gold\nsbatch: error: Batch job submission "
      "failed: Invalid partition name specified";
  CHECK(failed_with(text).status == Status::kRefused);
  CHECK(failed_with(text).said.find("Invalid partition name") != std::string::npos);
  CHECK(failed_with("").status == Status::kRefused);
  CHECK(failed_with("").said == "sbatch failed and did not say why");
  CHECK(failed_with(std::string(5000, 'x')).said.size() < 1000);
  CHECK(failed_with("a\x1b[2J").said.find('\x1b') == std::string::npos);
}

TEST_CASE("squeue lists jobs by name") {
  const auto jobs = parse_queue(
      "headway-job|17|RUNNING|n1|headway-5-0001|None\n"
      "headway-job|18|PENDING||headway-5-0002|Resources\n");
  REQUIRE(jobs);
  REQUIRE(jobs->size() == 2);
  CHECK(jobs->at("headway-5-0001").id == "17");
  CHECK(jobs->at("headway-5-0001").node == "n1");
  CHECK(jobs->at("headway-5-0001").phase() == JobInfo::Phase::kRunning);
  CHECK(jobs->at("headway-5-0002").reason == "Resources");
  CHECK(jobs->at("headway-5-0002").node.empty());
  CHECK(jobs->at("headway-5-0002").phase() == JobInfo::Phase::kPending);
}

TEST_CASE("an empty answer of squeue means that there are no jobs") {
  for (const char* text : {"", "\n", "  \n\n", "squeue: warning: something\n"}) {
    const auto jobs = parse_queue(text);
    REQUIRE(jobs);
    CHECK(jobs->empty());
  }
}

TEST_CASE("an answer of squeue with a line that is not one says nothing at all") {
  const std::string good = "headway-job|17|RUNNING|n1|headway-a|None\n";
  for (const char* line :
       {"slurm_load_jobs error: Unable to contact slurm controller", "headway-job|17|RUNNING",
        "headway-job||RUNNING|n1|headway-a|None", "headway-job|x|RUNNING|n1|headway-a|None",
        "|17|RUNNING|n1|a|None", "<html>502</html>", "headway-job"}) {
    CAPTURE(line);
    CHECK_FALSE(parse_queue(line));
    CHECK_FALSE(parse_queue(good + line + "\n"));
    CHECK_FALSE(parse_queue(line + ("\n" + good)));
  }
}

TEST_CASE("other jobs of the user do not matter, whatever their ids look like") {
  const auto jobs = parse_queue(
      "headway-job|1234_[0-9]|PENDING||sweep|Priority\n"
      "headway-job|17|RUNNING|n1|headway-a|None\n"
      "headway-job|12+0|RUNNING|n2|a|b|None\n");
  REQUIRE(jobs);
  CHECK(jobs->size() == 1);
  CHECK(jobs->at("headway-a").id == "17");
}

TEST_CASE("of two jobs with one name, the one that has not ended counts") {
  for (const char* text : {"headway-job|17|RUNNING|n1|headway-a|None\n"
                           "headway-job|18|COMPLETED|n1|headway-a|None\n",
                           "headway-job|18|COMPLETED|n1|headway-a|None\n"
                           "headway-job|17|RUNNING|n1|headway-a|None\n"}) {
    CHECK(parse_queue(text)->at("headway-a").id == "17");
  }
}

TEST_CASE("a job that asks for more than one job may have is refused, not busy") {
  const auto status = [](const char* text) { return parse_submission(false, true, text).status; };
  CHECK(status("error: Job violates accounting/QOS policy (job submit limit, user's size and/or "
               "time limits)") == Submission::Status::kBusy);
  CHECK(status("error: QOSMaxCpuPerJobLimit: Job violates accounting/QOS policy (job submit limit, "
               "user's size and/or time limits)") == Submission::Status::kRefused);
}

TEST_CASE("another job with an id that was ours is found under its own name only") {
  const auto jobs = parse_queue("headway-job|17|RUNNING|n1|somebody-elses|None\n");
  REQUIRE(jobs);
  CHECK_FALSE(jobs->contains("headway-5-0001"));
}

TEST_CASE("the phase of a job, by its state") {
  const auto phase_of = [](const char* state) {
    const auto jobs = parse_queue(fmt::format("headway-job|17|{}|n1|headway-a|None", state));
    return jobs->at("headway-a").phase();
  };
  for (const char* state : {"PENDING", "CONFIGURING", "REQUEUED", "REQUEUE_HOLD", "SPECIAL_EXIT"})
    CHECK(phase_of(state) == JobInfo::Phase::kPending);
  for (const char* state :
       {"COMPLETED", "CANCELLED", "CANCELLED by 1000", "FAILED", "TIMEOUT", "NODE_FAIL",
        "PREEMPTED", "BOOT_FAIL", "DEADLINE", "OUT_OF_MEMORY", "REVOKED", "CANCELLED+"})
    CHECK(phase_of(state) == JobInfo::Phase::kEnded);
  for (const char* state : {"RUNNING", "COMPLETING", "SUSPENDED", "STOPPED", "SIGNALING",
                            "RESIZING", "STAGE_OUT", "ON_FIRE", ""})
    CHECK(phase_of(state) == JobInfo::Phase::kRunning);  // alive
}

TEST_CASE("scontrol shows one job in one line") {
  const auto job = parse_job_line(
      "JobId=17 JobName=headway-5-0001 UserId=ada(1000) JobState=FAILED Reason=NonZeroExitCode "
      "ExitCode=1:0 ReqNodeList=(null) ExcNodeList=(null) NodeList=n1 BatchHost=n1\n");
  REQUIRE(job);
  CHECK(job->id == "17");
  CHECK(job->name == "headway-5-0001");
  CHECK(job->state == "FAILED");
  CHECK(job->reason == "NonZeroExitCode");
  CHECK(job->exit_code == "1:0");
  CHECK(job->node == "n1");
  CHECK(parse_job_line("JobId=17 JobState=PENDING NodeList=(null)")->node.empty());
}

TEST_CASE("what scontrol prints of no job is not one") {
  for (const char* text : {"", "slurm_load_jobs error: Invalid job id specified", "JobId=17",
                           "JobState=RUNNING", "JobId=x JobState=RUNNING", "JobId= JobState=A"}) {
    CAPTURE(text);
    CHECK_FALSE(parse_job_line(text));
  }
}

TEST_CASE("sbatch is asked for one node, without a requeue, and for what the stages need") {
  const JobRequest request{.name = "headway-5-0001",
                           .script = "/a/script.sh",
                           .output = "/a/output.log",
                           .resources = {4, (std::uint64_t{3} << 20) + 1, 61, 2},
                           .options = {"cpu", "lab", "", "avx2", {"--nice=100"}},
                           .excluded = {"n1", "n2"}};
  CHECK(submission_flags(request) ==
        Names{"--parsable", "--no-requeue", "--nodes=1", "--ntasks=1", "--job-name=headway-5-0001",
              "--output=/a/output.log", "--open-mode=append", "--cpus-per-task=4", "--time=2",
              "--mem=4M", "--gpus=2", "--partition=cpu", "--account=lab", "--constraint=avx2",
              "--exclude=n1,n2", "--nice=100", "/a/script.sh"});
}

TEST_CASE("options that are not set give no flags for sbatch") {
  const Names flags =
      submission_flags({.name = "a", .script = "s", .output = "o", .resources = {}, .options = {}});
  for (const char* flag : {"--time", "--mem", "--gpus", "--partition", "--account", "--qos",
                           "--constraint", "--exclude"})
    CHECK(std::ranges::none_of(flags, [&](const auto& given) { return given.starts_with(flag); }));
  CHECK(flags.back() == "s");
}

TEST_CASE("Slurm's commands do not see the variables of a job that we are part of") {
  const ScopedVariable job("SLURM_JOB_ID", "17"), memory("SLURM_MEM_PER_NODE", "10"),
      configuration("SLURM_CONF", "/etc/slurm.conf"), other("SLURMY", "kept"),
      mine("HEADWAY_TEST_VARIABLE", "kept too");
  const Names environment = environment_outside_jobs();
  const auto has = [&](const std::string& setting) {
    return std::ranges::find(environment, setting) != environment.end();
  };
  CHECK_FALSE(has("SLURM_JOB_ID=17"));
  CHECK_FALSE(has("SLURM_MEM_PER_NODE=10"));
  CHECK(has("SLURM_CONF=/etc/slurm.conf"));
  CHECK(has("SLURMY=kept"));
  CHECK(has("HEADWAY_TEST_VARIABLE=kept too"));
}

}  // namespace
}  // namespace headway::testing
