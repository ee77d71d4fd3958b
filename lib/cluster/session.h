// What a run keeps of its work on a cluster, so that a later one can take it over:
//
//   cluster/<session>.lock              held by the run
//   cluster/<session>/session.json      which pipeline it is about
//   cluster/<session>/allocations/<n>/  see allocation_files.h
//   cluster/<session>/attempts/<id>/    an attempt's work folder, with its outputs and, beside
//   them:
//     sent.json                         which agent has it; written by the engine
//     end.json                          how it ended; written by the agent (attempt_end.h)
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "lib/base/digest.h"
#include "lib/base/file_system.h"

namespace headway {

// An attempt as it was sent to an agent.
struct SentAttempt {
  std::string id;
  Digest key;
  Path partial;
  Path allocation;  // the folder
  std::string life;
};

// Removes a session, and ends its agents, which notice that their folders are gone. Never throws.
void remove_session(FileSystem& files, const Path& session);
// What could not be removed: no agent can write there any more.
std::vector<Path> removed_sessions_in(FileSystem& files, const Path& folder);

class ClusterSession {
 public:
  static constexpr const char* kAllocations = "allocations";
  static constexpr const char* kAttempts = "attempts";

  // Creates it. Throws Error if the folder cannot be written, or if its file system has no locks.
  ClusterSession(FileSystem& files, const Path& folder, const std::string& id,
                 const std::string& pipeline);
  // Takes over all sessions of the pipeline that nobody holds.
  static std::vector<std::unique_ptr<ClusterSession>> take_over(FileSystem& files,
                                                                const Path& folder,
                                                                const std::string& pipeline);

  Path allocations() const { return folder_ / kAllocations; }
  Path attempts() const { return folder_ / kAttempts; }
  const Path& folder() const { return folder_; }

  // Removes all of it. What cannot be removed stays for gc.
  void remove() { remove_session(files_, folder_); }

  // Those that were sent, whether they have ended or not.
  static std::vector<SentAttempt> sent(FileSystem& files, const Path& session);
  static void note_sent(FileSystem& files, const Path& work, const SentAttempt& attempt);

 private:
  ClusterSession(FileSystem& files, const Path& folder, std::unique_ptr<FileLock> lock)
      : files_(files), folder_(folder), lock_(std::move(lock)) {}

  FileSystem& files_;
  Path folder_;
  std::unique_ptr<FileLock> lock_;
};

// The sessions in the folder; of one pipeline, or of all if that is empty. Never throws.
std::vector<Path> sessions_in(FileSystem& files, const Path& folder, const std::string& pipeline);
Path lock_of(const Path& session);

// Throws Error, with what to do, if locks do not exclude each other there. Creates `file`.
void check_locks(FileSystem& files, const Path& file);
// Why locks on the path may not reach other machines, for a person; "": nothing says so.
// `mounts`: the text of /proc/self/mountinfo.
std::string lock_reach_problem(const std::string& mounts, const Path& path);

}  // namespace headway
