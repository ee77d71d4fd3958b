// A site file. What is accepted is within its limits.
#include "lib/cluster/site.h"

#include <algorithm>

#include "tests/fuzz/pipelines.h"

using namespace headway;

FUZZ_TARGET(site) {
  testing::MemoryFileSystem files;
  files.put(Path("/fuzz") / kSiteFile, input);
  ClusterSite site;
  if (!fuzz::accepts({"/fuzz/headway-site.yaml:"},
                     [&] { site = load_site(files, "/fuzz", fuzz::stages()); }))
    return;
  const SlurmSite& slurm = site.slurm;
  fuzz::require(site.on == "local" || site.on == "slurm", "a site runs locally or on Slurm");
  fuzz::require(slurm.jobs >= 1, "there is at least one job");
  fuzz::require(slurm.idle > 0 && slurm.poll > 0 && slurm.visible_within > 0,
                "times are above zero");
  const auto check = [](const SlurmOptions& options, const Resources& asked) {
    fuzz::require(std::ranges::all_of(options.flags,
                                      [](const std::string& flag) {
                                        return flag.size() > 1 && flag[0] == '-' &&
                                               flag.find('\0') == flag.npos;
                                      }),
                  "a flag begins with '-'");
    fuzz::require(asked.cpus >= 1 && asked.time >= 0 && asked.gpus >= 0, "resources are in range");
  };
  check(slurm.options, slurm.allocation);
  for (const auto& [type, overrides] : slurm.stages)
    check(slurm.options_of(type), slurm.resources_of(type, {}));
}
