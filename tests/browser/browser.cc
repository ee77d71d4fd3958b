#include "tests/browser/browser.h"

#include <fcntl.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cstdlib>
#include <sstream>
#include <vector>

#include "lib/base/error.h"

namespace headway::browser {
namespace {

namespace fs = std::filesystem;

const std::vector<std::string> kFlags{
    "--headless",
    "--remote-debugging-pipe",
    // Tests check a page's requests; the browser itself must not make any.
    "--disable-background-networking",
    "--disable-client-side-phishing-detection",
    "--disable-component-update",
    "--disable-default-apps",
    "--disable-domain-reliability",
    "--disable-extensions",
    "--disable-sync",
    "--host-resolver-rules=MAP * ~NOTFOUND",
    "--metrics-recording-only",
    "--no-default-browser-check",
    "--no-first-run",
    "--no-pings",
    "--disable-features=DialMediaRouteProvider,MediaRouter,OptimizationHints,Translate",
    // Nothing that outlives the process group, or waits for a desktop.
    "--disable-breakpad",
    "--disable-crash-reporter",
    "--password-store=basic",
    "--use-mock-keychain",
    // Containers have little shared memory.
    "--disable-dev-shm-usage",
    "--disable-gpu",
    // The same pictures everywhere, and no page that is throttled because it is not visible.
    "--disable-background-timer-throttling",
    "--disable-backgrounding-occluded-windows",
    "--disable-renderer-backgrounding",
    "--force-color-profile=srgb",
    "--hide-scrollbars",
    "--mute-audio",
};

std::vector<std::string> command(const Path& profile) {
  // Chromium reads from descriptor 3 and writes to 4; our children get 3, which here is a socket.
  std::vector<std::string> words{"/bin/sh", "-c", "exec \"$0\" \"$@\" 4>&3",
                                 chromium_path().string()};
  words.insert(words.end(), kFlags.begin(), kFlags.end());
  words.push_back("--user-data-dir=" + (profile / "profile").string());
  if (::geteuid() == 0) words.push_back("--no-sandbox");  // root has no namespaces to be put into
  words.push_back("about:blank");
  return words;
}

// Whatever chromium and its libraries keep in a home folder stays in the profile.
std::vector<std::string> environment(const Path& profile) {
  std::vector<std::string> variables = inherited_environment({"PATH", "LANG"});
  for (const char* name :
       {"HOME", "TMPDIR", "XDG_CACHE_HOME", "XDG_CONFIG_HOME", "XDG_RUNTIME_DIR"}) {
    variables.push_back(std::string(name) + "=" + profile.string());
  }
  variables.push_back("DBUS_SESSION_BUS_ADDRESS=disabled:");
  return variables;
}

}  // namespace

Path chromium_path() {
  const char* path = std::getenv("PATH");
  std::istringstream folders(path ? path : "/usr/bin");
  for (std::string folder; std::getline(folders, folder, ':');) {
    const Path program = Path(folder) / "chromium";
    if (::access(program.c_str(), X_OK) == 0) return program;
  }
  return {};
}

TemporaryFolder::TemporaryFolder() {
  std::string pattern = (fs::temp_directory_path() / "headway-browser-XXXXXX").string();
  if (!::mkdtemp(pattern.data())) throw Error("cannot make " + pattern);
  path_ = pattern;
}

TemporaryFolder::~TemporaryFolder() {
  // A process of the browser that is still dying may have written there meanwhile.
  std::error_code failed;
  for (int i = 0; i < 1000; ++i) {
    fs::remove_all(path_, failed);
    if (!failed) return;
    ::usleep(10'000);
  }
}

Browser::Browser() {
  int ends[2];
  if (::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0) {
    throw Error("cannot make a socket: " + describe_errno(errno));
  }
  tools_ = std::make_unique<DevTools>(ends[0]);
  const Path log = profile() / "log.txt";
  const int output = ::open(log.c_str(), O_WRONLY | O_CREAT | O_CLOEXEC, 0666);
  ProcessSpec spec;
  spec.argv = command(profile());
  spec.environment = environment(profile());
  spec.output = output;
  spec.channel = ends[1];
  process_ = std::make_unique<Process>(spec);
  ::close(ends[1]);
  ::close(output);
  try {
    tools_->call("Browser.getVersion");
  } catch (const Error& error) {
    throw error.within("chromium does not start; it says: " + RealFileSystem().read_end(log, 2000));
  }
}

std::unique_ptr<Page> Browser::new_page() {
  return std::make_unique<Page>(*tools_);
}

}  // namespace headway::browser
