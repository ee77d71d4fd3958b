#include "lib/cluster/shape.h"

#include "lib/base/json.h"

namespace headway {

double time_of(const StageJob& job, double timeout_seconds, const SlurmSite& site) {
  const Resources wanted = site.resources_of(job.type, job.resources);
  return wanted.time > 0 ? wanted.time : timeout_seconds;
}

Shape shape_of(const StageJob& job, double timeout_seconds, const SlurmSite& site) {
  const Resources wanted = site.resources_of(job.type, job.resources);
  const SlurmOptions options = site.options_of(job.type);
  const Resources& common = site.allocation;
  const double time = time_of(job, timeout_seconds, site);
  const bool fits = options == site.options && wanted.gpus <= common.gpus &&
                    wanted.cpus <= common.cpus && wanted.memory <= common.memory &&
                    time <= common.time / 2;
  if (fits) return {common, options};
  return {{wanted.cpus, wanted.memory > 0 ? wanted.memory : common.memory,
           (time > 0 ? time + kTimeAround : common.time), wanted.gpus},
          options};
}

std::string id_of(const Shape& shape) {
  const auto& [resources, options] = shape;
  return Json({resources.cpus, resources.memory, resources.time, resources.gpus, options.partition,
               options.account, options.qos, options.constraint, options.flags})
      .dump(-1, ' ', false, Json::error_handler_t::replace);
}

}  // namespace headway
