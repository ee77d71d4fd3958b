// A small disk at a sandbox's `outputs`, gone with its object. Only root may mount one; it is in a
// mount namespace of this process alone, so that nothing stays behind whatever happens.
#pragma once

#include <sched.h>
#include <sys/mount.h>
#include <unistd.h>

#include <catch2/catch_test_macros.hpp>
#include <string>

#include "tests/e2e/support.h"

namespace headway::e2e {

class SmallDisk {
 public:
  explicit SmallDisk(const Sandbox& sandbox, const std::string& size = "size=1m")
      : place_(sandbox.at("outputs")) {
    std::filesystem::create_directories(place_);
    mounted_ = ::geteuid() == 0 && ::unshare(CLONE_NEWNS) == 0 &&
               ::mount("none", "/", nullptr, MS_REC | MS_PRIVATE, nullptr) == 0 &&
               ::mount("tmpfs", place_.c_str(), "tmpfs", 0, size.c_str()) == 0;
  }
  ~SmallDisk() {
    if (mounted_) ::umount2(place_.c_str(), MNT_DETACH);
  }
  SmallDisk(const SmallDisk&) = delete;
  SmallDisk& operator=(const SmallDisk&) = delete;

  bool mounted() const { return mounted_; }
  void remount(unsigned long flags, const char* options) const {
    REQUIRE(::mount("tmpfs", place_.c_str(), "tmpfs", MS_REMOUNT | flags, options) == 0);
  }

 private:
  const Path place_;
  bool mounted_ = false;
};

}  // namespace headway::e2e
