#include "lib/run/session.h"

#include <fmt/chrono.h>
#include <unistd.h>

#include <chrono>
#include <thread>

#include "lib/base/error.h"
#include "lib/store/housekeeping.h"

namespace headway {
namespace {

constexpr std::size_t kRunsKept = 100;
constexpr const char* kLockSuffix = Layout::kLockSuffix;

}  // namespace

RunSession::RunSession(Store& store, const Interrupt& interrupt)
    : store_(store), files_(store.files()) {
  store_.prepare();
  while (!(store_lock_ = lock_store(store_, LockMode::kShared))) {
    if (interrupt.requested()) throw Cancelled();
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
  }
  clear_abandoned_work();
  clear_abandoned_locks();
  forget_old_runs();
  const std::int64_t now = files_.now_ns();
  id_ = fmt::format("{:%Y%m%d-%H%M%S}-{:03}-{}",
                    fmt::gmtime(static_cast<std::time_t>(now / 1'000'000'000)),
                    now / 1'000'000 % 1000, ::getpid());
  work_ = store_.layout().works() / id_;
  folder_ = store_.layout().run(id_);
  // Another run may hold it briefly while it cleans up.
  while (!(work_lock_ = files_.try_lock(work_.string() + kLockSuffix, LockMode::kExclusive)))
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  files_.make_directories(work_);
  files_.make_directories(folder_);
}

RunSession::~RunSession() {
  try {
    files_.remove(work_);
    files_.remove(work_.string() + kLockSuffix);
  } catch (const Error&) {  // the next run removes it
  }
}

// A work folder whose lock is free belonged to a process that was killed.
void RunSession::clear_abandoned_work() {
  const Path works = store_.layout().works();
  for (const std::string& name : files_.list(works)) {
    const std::string owner = name.substr(0, name.rfind(kLockSuffix));  // ids have no dot
    const Path lock_path = works / (owner + kLockSuffix);
    const std::unique_ptr<FileLock> lock = files_.try_lock(lock_path, LockMode::kExclusive);
    if (!lock) continue;
    try {
      files_.remove(works / owner);
      files_.remove(lock_path);
    } catch (const Error&) {  // a killed stage's child may still write there; the next run retries
    }
  }
}

// A killed process holds no locks; only its lock files are left.
void RunSession::clear_abandoned_locks() {
  for (const std::string& name : files_.list(store_.layout().locks())) {
    const Path path = store_.layout().locks() / name;
    if (const std::unique_ptr<FileLock> lock = files_.try_lock(path, LockMode::kExclusive))
      files_.remove(path);
  }
}

void RunSession::forget_old_runs() {
  const std::vector<std::string> ids = files_.list(store_.layout().runs());
  for (std::size_t i = 0; i + kRunsKept < ids.size(); ++i)
    files_.remove(store_.layout().run(ids[i]));
}

}  // namespace headway
