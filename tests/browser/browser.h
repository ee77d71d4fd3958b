// A separate chromium for a test: headless, with a temporary profile and without network access. It
// ends with its object, however the test ends.
#pragma once

#include <memory>
#include <string>

#include "lib/base/file_system.h"
#include "lib/base/process.h"
#include "tests/browser/dev_tools.h"
#include "tests/browser/page.h"

namespace headway::browser {

// The path of chromium; empty if it is not installed.
Path chromium_path();

// For SKIP: names the package.
inline constexpr const char* kNoChromium = "needs a browser: apt install chromium";

// Removed with its object.
class TemporaryFolder {
 public:
  TemporaryFolder();
  ~TemporaryFolder();
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;

  const Path& path() const { return path_; }

 private:
  Path path_;
};

class Browser {
 public:
  // Throws Error if it cannot be started.
  Browser();

  // An empty page. It must be destroyed before the browser.
  std::unique_ptr<Page> new_page();

  // How long anything may take from now on.
  void set_patience(double seconds) { tools_->set_patience(seconds); }

  const Path& profile() const { return profile_.path(); }
  pid_t process() const { return process_->id(); }

 private:
  TemporaryFolder profile_;  // outlives the process that writes into it
  std::unique_ptr<Process> process_;
  std::unique_ptr<DevTools> tools_;
};

}  // namespace headway::browser
