// `headway verify`: checking the store.
#include <fmt/format.h>

#include "lib/base/error.h"
#include "lib/base/text.h"
#include "lib/cli/output.h"
#include "lib/cli/verbs.h"
#include "lib/run/messages.h"
#include "lib/store/housekeeping.h"

namespace headway {
namespace {

int verify(const PipelineArguments& arguments, CommandLine& line) {
  Store store(line.files, arguments.outputs_path());
  if (!line.files.exists(store.layout().root()))
    throw UsageError(fmt::format("there is no store in {}", shown(store.layout().outputs())));
  const std::unique_ptr<FileLock> lock = lock_store(store, LockMode::kShared);
  if (!lock) throw Error("gc is working on this store; try again when it has ended");
  const Verification result = verify_store(store);
  for (const Damage& damage : result.damages) {
    say("{}: {}{}\n", shown(damage.path), damage.what,
        damage.label.empty() ? "" : " (" + damage.label + ")");
  }
  say("{} records, {} objects, {}: {}\n", result.records, result.objects,
      format_bytes(result.bytes),
      result.damages.empty() ? "all whole"
                             : fmt::format("{} damaged, removed; the next run makes them again",
                                           result.damages.size()));
  return result.damages.empty() ? 0 : 1;
}

}  // namespace

void add_verify(CLI::App& app, CommandLine& line) {
  auto arguments = std::make_shared<PipelineArguments>();
  CLI::App& verb = add_verb(
      app, line, "verify", "read everything in the store again and compare it with its digest",
      "  headway verify\n", [arguments, &line] { return verify(*arguments, line); });
  arguments->add_outputs(verb);
}

}  // namespace headway
