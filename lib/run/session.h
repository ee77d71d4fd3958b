// One run's hold on a store: the shared lock that keeps gc away, a work folder, an id. Cleans up
// after runs that died.
#pragma once

#include <memory>
#include <string>

#include "lib/base/interrupt.h"
#include "lib/store/store.h"

namespace headway {

class RunSession {
 public:
  // Waits while gc works. Throws Cancelled when interrupted meanwhile.
  RunSession(Store& store, const Interrupt& interrupt);
  ~RunSession();
  RunSession(const RunSession&) = delete;
  RunSession& operator=(const RunSession&) = delete;

  const std::string& id() const { return id_; }  // sorts by time
  const Path& work() const { return work_; }
  const Path& folder() const { return folder_; }  // runs/<id>

 private:
  void clear_abandoned_work();
  void clear_abandoned_locks();
  void forget_old_runs();

  Store& store_;
  FileSystem& files_;
  std::string id_;
  Path work_;
  Path folder_;
  std::unique_ptr<FileLock> store_lock_;
  std::unique_ptr<FileLock> work_lock_;
};

}  // namespace headway
