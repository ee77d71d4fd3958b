// `headway verify`: reads the whole store.
#include <fmt/format.h>

#include "lib/base/error.h"
#include "lib/base/text.h"
#include "lib/cli/output.h"
#include "lib/cli/project.h"
#include "lib/cli/verbs.h"
#include "lib/store/housekeeping.h"

namespace headway {
namespace {

// Removing needs the exclusive lock: a run may just be making the same result again. Whether the
// damage was removed; if the store is in use, it is only marked for later runs.
bool remove_alone(Store& store, const Verification& found, std::unique_ptr<FileLock> shared) {
  shared.reset();
  const std::unique_ptr<FileLock> alone = lock_store(store, LockMode::kExclusive);
  if (alone) {
    remove_damage(store, found);
  } else {
    distrust_damage(store, found);
  }
  return alone != nullptr;
}

int verify(const PipelineArguments& arguments, CommandLine& line) {
  Store store(line.files, arguments.outputs_path());
  if (!line.files.exists(store.layout().root()))
    throw UsageError("there is no store in {}", display_path(store.layout().outputs()));
  std::unique_ptr<FileLock> lock = lock_store(store, LockMode::kShared);
  if (!lock) throw Error("gc is working on this store; try again when it has ended");
  const Verification result = verify_store(store);
  const bool writable = may_write(store.layout().outputs());
  const bool removes =
      !result.damages.empty() && writable && remove_alone(store, result, std::move(lock));
  for (const Damage& damage : result.damages)
    say("{}: {}{}\n", display_path(damage.path), damage.what,
        damage.label.empty() ? "" : " (" + damage.label + ")");
  say("{}, {}, {}: {}\n", count_of(result.records, "record"), count_of(result.objects, "object"),
      format_bytes(result.bytes),
      result.damages.empty()
          ? "all whole"
          : fmt::format("{} damaged{}; the next run makes them again", result.damages.size(),
                        removes    ? ", removed"
                        : writable ? " (left, since a run is using the store)"
                                   : " (left, since you may not write to the store)"));
  return result.damages.empty() ? 0 : 1;
}

}  // namespace

void add_verify(CLI::App& app, CommandLine& line) {
  auto [verb, arguments] = add_verb(
      app, line, "verify", "read everything in the store again and compare it with its digest",
      "  headway verify\n", verify);
  arguments.add_outputs(verb);
}

}  // namespace headway
