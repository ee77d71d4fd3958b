#include "lib/cluster/session.h"

#include <fmt/format.h>

#include <algorithm>

#include "lib/base/error.h"
#include "lib/base/json.h"
#include "lib/base/text.h"
#include "lib/store/layout.h"

namespace headway {
namespace {

constexpr const char* kSessionFile = "session.json";
constexpr const char* kSentFile = "sent.json";
constexpr const char* kRemovedSuffix = ".removed";

std::optional<Json> read_object(FileSystem& files, const Path& path) {
  try {
    std::optional<Json> json = parse_json(files.read(path).value_or(""));
    if (json && json->is_object()) return json;
  } catch (const Error&) {
  }
  return std::nullopt;
}

}  // namespace

Path lock_of(const Path& session) {
  return session.string() + Layout::kLockSuffix;
}

void check_locks(FileSystem& files, const Path& file) {
  constexpr const char* kAdvice =
      "Headway needs file locks (flock) for its outputs. Choose another file system with "
      "--outputs, or ask your administrators for NFS 4 mounted without `nolock`";
  std::unique_ptr<FileLock> first;
  try {
    first = files.try_lock(file, LockMode::kExclusive);
  } catch (const Error& error) {
    throw Error("{}; {}", error.what(), kAdvice);
  }
  if (first && files.try_lock(file, LockMode::kExclusive))
    throw Error("locks do not work in {}; {}", file.parent_path().string(), kAdvice);
}

std::string lock_reach_problem(const std::string& mounts, const Path& path) {
  std::string type, options, longest;
  for (const std::string& line : split(mounts, '\n')) {
    const std::size_t middle = line.find(" - ");
    const std::vector<std::string> left = split(line.substr(0, middle), ' ');
    if (middle == std::string::npos || left.size() < 6) continue;
    const std::vector<std::string> right = split(line.substr(middle + 3), ' ');
    const std::string& point = left[4];
    const std::string prefix = point == "/" ? point : point + "/";
    if (right.size() < 3 || !(path.string() + "/").starts_with(prefix) ||
        point.size() < longest.size())
      continue;
    longest = point;
    type = right[0];
    options = "," + right[2] + ",";
  }
  const bool is_local = options.find(",nolock,") != std::string::npos ||
                        options.find(",local_lock=all,") != std::string::npos ||
                        options.find(",local_lock=flock,") != std::string::npos;
  if (!type.starts_with("nfs") || !is_local) return "";
  return fmt::format(
      "locks on {} work only within this machine ({} without network locks): never run headway on "
      "these outputs from two machines at once",
      longest, type);
}

ClusterSession::ClusterSession(FileSystem& files, const Path& folder, const std::string& id,
                               const std::string& pipeline)
    : files_(files), folder_(folder / id) {
  files_.make_directories(folder);
  check_locks(files_, lock_of(folder_));
  lock_ = files_.try_lock(lock_of(folder_), LockMode::kExclusive);
  files_.make_directories(attempts());
  files_.make_directories(allocations());
  files_.replace(folder_ / kSessionFile, to_line({{"pipeline", pipeline}}) + "\n");
}

std::vector<Path> sessions_in(FileSystem& files, const Path& folder, const std::string& pipeline) {
  std::vector<Path> sessions;
  try {
    for (const std::string& name : files.list(folder)) {
      if (name.ends_with(Layout::kLockSuffix) || name.ends_with(kRemovedSuffix)) continue;
      const std::optional<Json> json = read_object(files, folder / name / kSessionFile);
      if (json && (pipeline.empty() || json->value("pipeline", Json()) == pipeline))
        sessions.push_back(folder / name);
    }
  } catch (const Error&) {  // it may not be read
  }
  return sessions;
}

std::vector<std::unique_ptr<ClusterSession>> ClusterSession::take_over(
    FileSystem& files, const Path& folder, const std::string& pipeline) {
  std::vector<std::unique_ptr<ClusterSession>> taken;
  for (const Path& session : sessions_in(files, folder, pipeline)) {
    if (std::unique_ptr<FileLock> lock = files.try_lock(lock_of(session), LockMode::kExclusive))
      taken.emplace_back(new ClusterSession(files, session, std::move(lock)));
  }
  return taken;
}

void remove_session(FileSystem& files, const Path& session) {
  try {
    // Agents may still write. Under another name, nothing new comes while it is removed.
    Path removed = session;
    if (!session.string().ends_with(kRemovedSuffix)) {
      removed += kRemovedSuffix;
      files.rename(session, removed);
      files.remove(lock_of(session));
    }
    files.remove(removed);
  } catch (const Error&) {
  }
}

std::vector<Path> removed_sessions_in(FileSystem& files, const Path& folder) {
  std::vector<Path> removed;
  try {
    for (const std::string& name : files.list(folder)) {
      if (name.ends_with(kRemovedSuffix)) removed.push_back(folder / name);
    }
  } catch (const Error&) {  // it may not be read
  }
  return removed;
}

std::vector<SentAttempt> ClusterSession::sent(FileSystem& files, const Path& session) {
  std::vector<SentAttempt> sent;
  std::vector<std::string> ids;
  try {
    ids = files.list(session / kAttempts);
  } catch (const Error&) {  // it may not be read
  }
  for (const std::string& id : ids) {
    const std::optional<Json> json = read_object(files, session / kAttempts / id / kSentFile);
    if (!json) continue;
    const auto text = [&](const char* name) {
      const auto found = json->find(name);
      return found != json->end() && found->is_string() ? found->get<std::string>() : "";
    };
    if (const std::optional<Digest> key = Digest::from_hex(text("key")))
      sent.push_back({id, *key, text("partial"), text("allocation"), text("life")});
  }
  return sent;
}

void ClusterSession::note_sent(FileSystem& files, const Path& work, const SentAttempt& attempt) {
  files.replace(work / kSentFile, to_line({{"key", attempt.key.hex()},
                                           {"partial", attempt.partial.string()},
                                           {"allocation", attempt.allocation.string()},
                                           {"life", attempt.life}}) +
                                      "\n");
}

}  // namespace headway
