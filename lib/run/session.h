// One run's use of a store: a shared lock that keeps gc out, a work folder and an id. Also removes
// what killed runs left.
#pragma once

#include <memory>
#include <string>

#include "lib/base/interrupt.h"
#include "lib/store/store.h"

namespace headway {

class RunSession {
 public:
  // Waits until gc is done. Throws Cancelled if interrupted meanwhile.
  RunSession(Store& store, const Interrupt& interrupt);
  ~RunSession();
  RunSession(const RunSession&) = delete;
  RunSession& operator=(const RunSession&) = delete;

  const std::string& id() const { return id_; }  // ids sort by time
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
