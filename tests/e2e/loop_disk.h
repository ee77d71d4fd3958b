// A disk in a file at a sandbox's `outputs`: what is on it can be changed below the file system,
// and copied as a power cut would leave it. Only root may mount one; it is in a mount namespace of
// this process alone, and its loop device is freed with the mount, so that nothing stays behind.
#pragma once

#include <sched.h>
#include <sys/mount.h>
#include <unistd.h>

#include <catch2/catch_test_macros.hpp>
#include <string>

#include "tests/e2e/support.h"

namespace headway::e2e {

class LoopDisk {
 public:
  // `options` are those of mount(8).
  LoopDisk(const Sandbox& sandbox, std::string options)
      : sandbox_(sandbox), options_("loop," + options) {
    std::filesystem::create_directories(sandbox.at("outputs"));
    if (::geteuid() != 0 || ::unshare(CLONE_NEWNS) != 0 ||
        ::mount("none", "/", nullptr, MS_REC | MS_PRIVATE, nullptr) != 0)
      return;
    // Nothing may be written later by itself, or no two copies would be equal.
    const std::string make =
        "truncate -s 24M disk.img && PATH=$PATH:/usr/sbin:/sbin mkfs.ext4 -q "
        "-E lazy_itable_init=0,lazy_journal_init=0 disk.img";
    if (sandbox.sh(make).exit_code == 0) mount("disk.img");
  }
  ~LoopDisk() {
    if (mounted_) unmount();
  }
  LoopDisk(const LoopDisk&) = delete;
  LoopDisk& operator=(const LoopDisk&) = delete;

  bool mounted() const { return mounted_; }
  void mount(const std::string& image) {
    mounted_ = sandbox_.program({"mount", "-o", options_, image, "outputs"}).exit_code == 0;
  }
  void unmount() {
    REQUIRE(sandbox_.program({"umount", "outputs"}).exit_code == 0);
    mounted_ = false;
  }

  // What is on the disk, and not in memory, at one moment. False if it is never quiet.
  bool copy_to(const std::string& image) const {
    const std::string copy = "cp --sparse=always disk.img ";
    for (int i = 0; i < 30; ++i) {
      const Outcome equal =
          sandbox_.sh(copy + image + " && " + copy + "second.img && cmp " + image + " second.img");
      if (equal.exit_code == 0) return true;
    }
    return false;
  }

 private:
  const Sandbox& sandbox_;
  const std::string options_;
  bool mounted_ = false;
};

}  // namespace headway::e2e
