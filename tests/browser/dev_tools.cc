#include "tests/browser/dev_tools.h"

#include <fmt/format.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <chrono>

#include "lib/base/error.h"

namespace headway::browser {
namespace {

using Clock = std::chrono::steady_clock;

constexpr int kPauseMs = 20;

}  // namespace

DevTools::~DevTools() {
  ::close(descriptor_);
}

Json DevTools::call(const std::string& method, const Json& params, const std::string& session) {
  const int id = post(method, params, session);
  wait("the answer to " + method, [&] { return answers_.contains(id); });
  const Json answer = answers_.extract(id).mapped();
  if (answer.contains("error")) {
    throw Error(fmt::format("{}: {}", method, answer["error"].value("message", "refused")));
  }
  return answer.value("result", Json::object());
}

void DevTools::send(const std::string& method, const Json& params, const std::string& session) {
  post(method, params, session);
}

int DevTools::post(const std::string& method, const Json& params, const std::string& session) {
  Json message{{"id", ++last_id_}, {"method", method}, {"params", params}};
  if (!session.empty()) message["sessionId"] = session;
  std::string bytes = to_line(message);
  bytes.push_back('\0');
  for (std::string_view rest = bytes; !rest.empty();) {
    // Not write(): a browser that is gone must be an Error, not a SIGPIPE.
    const ssize_t count = ::send(descriptor_, rest.data(), rest.size(), MSG_NOSIGNAL);
    if (count < 0 && errno != EINTR) {
      throw Error(fmt::format("the browser is gone: {}", describe_errno(errno)));
    }
    if (count > 0) rest.remove_prefix(static_cast<std::size_t>(count));
  }
  return last_id_;
}

void DevTools::listen(const std::string& session, Listener listener) {
  listeners_.erase(session);
  if (listener) listeners_.emplace(session, std::move(listener));
}

void DevTools::wait(const std::string& what, const std::function<bool()>& condition) {
  const Clock::time_point start = Clock::now();
  while (!condition()) {
    if (std::chrono::duration<double>(Clock::now() - start).count() > patience_)
      throw Error("waited in vain for " + what);
    hear(kPauseMs);
  }
}

void DevTools::hear(int milliseconds) {
  pollfd waiting{descriptor_, POLLIN, 0};
  if (::poll(&waiting, 1, milliseconds) <= 0) return;
  std::array<char, 1 << 16> buffer;
  const ssize_t count = ::recv(descriptor_, buffer.data(), buffer.size(), 0);
  if (count < 0 && errno == EINTR) return;
  if (count <= 0) throw Error("the browser ended");
  std::size_t searched = unread_.size();
  unread_.append(buffer.data(), static_cast<std::size_t>(count));
  for (std::size_t end; (end = unread_.find('\0', searched)) != std::string::npos; searched = 0) {
    const std::string message = unread_.substr(0, end);
    unread_.erase(0, end + 1);
    take(message);
  }
}

void DevTools::take(std::string_view text) {
  std::optional<Json> message = parse_json(text);
  if (!message) throw Error(fmt::format("the browser said what is no JSON: {:.200}", text));
  if (message->contains("id")) {
    const int id = message->at("id").get<int>();
    answers_[id] = std::move(*message);
    return;
  }
  const auto listener = listeners_.find(message->value("sessionId", ""));
  if (listener != listeners_.end()) {
    listener->second(message->value("method", ""), message->value("params", Json::object()));
  }
}

}  // namespace headway::browser
