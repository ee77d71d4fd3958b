// What Slurm's commands print: an answer is used as a whole or not at all.
#include "lib/cluster/slurm.h"

#include <algorithm>

#include "lib/base/text.h"
#include "tests/fuzz/fuzz.h"

using namespace headway;

namespace {

bool is_number(const std::string& id) {
  return !id.empty() && std::ranges::all_of(id, is_digit);
}

}  // namespace

FUZZ_TARGET(slurm) {
  const std::string text(input);
  for (const bool succeeded : {true, false}) {
    for (const bool has_ended : {true, false}) {
      const Submission submission = parse_submission(succeeded, has_ended, text);
      const bool is_accepted = submission.status == Submission::Status::kAccepted;
      fuzz::require(is_accepted == is_number(submission.id), "an accepted job has an id", text);
      fuzz::require(!is_accepted || (succeeded && has_ended), "only sbatch's success accepts",
                    text);
      fuzz::require(has_ended || submission.status == Submission::Status::kUnknown,
                    "without an answer, nothing is known", text);
      if (!is_accepted) fuzz::check_message("sbatch: " + submission.said, {"sbatch: "});
    }
  }
  if (const auto jobs = parse_queue(text)) {
    for (const auto& [name, job] : *jobs) {
      fuzz::require(job.name == name && is_number(job.id), "a job has its name and an id", text);
      job.phase();
    }
  }
  if (const auto job = parse_job_line(text))
    fuzz::require(is_number(job->id) && !job->state.empty(), "a job has an id and a state", text);
}
