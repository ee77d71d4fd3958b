// The DevTools protocol over a descriptor: JSON messages ended by a zero byte, as chromium speaks
// it with --remote-debugging-pipe. Independent of particular commands; every wait ends, at the
// latest with an Error.
#pragma once

#include <functional>
#include <map>
#include <string>
#include <string_view>

#include "lib/base/json.h"

namespace headway::browser {

class DevTools {
 public:
  using Listener = std::function<void(const std::string& event, const Json& params)>;

  // Takes the descriptor, and closes it.
  explicit DevTools(int descriptor) : descriptor_(descriptor) {}
  ~DevTools();
  DevTools(const DevTools&) = delete;
  DevTools& operator=(const DevTools&) = delete;

  // The result. Throws Error if the browser refuses, is gone, or does not answer in time.
  // `session`: of a page; empty: of the browser.
  Json call(const std::string& method, const Json& params = Json::object(),
            const std::string& session = "");
  // Does not wait, and never learns the result: for listeners.
  void send(const std::string& method, const Json& params, const std::string& session);

  // How long anything may take.
  void set_patience(double seconds) { patience_ = seconds; }

  // Sets the listener for a session's events; null: removes it.
  void listen(const std::string& session, Listener listener);
  // Handles events until the condition holds. Throws an Error that names `what` if it never does.
  void wait(const std::string& what, const std::function<bool()>& condition);

 private:
  int post(const std::string& method, const Json& params, const std::string& session);
  void hear(int milliseconds);  // what arrives within that time
  void take(std::string_view message);

  int descriptor_;
  double patience_ = 120;  // starting takes some seconds on a busy machine; this is for one that
                           // hangs
  int last_id_ = 0;
  std::string unread_;  // the beginning of a message
  std::map<int, Json> answers_;
  std::map<std::string, Listener> listeners_;
};

}  // namespace headway::browser
