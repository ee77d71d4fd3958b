// Every name on disk, in one place.
//
//   outputs/<pipeline>[/<variant>]/<stage>/<file>   links to the current results; <stage>.stale has
//                                                   those that no longer are
//   outputs/.headway/objects/ab/cdef….csv           contents, named by their digest, with the
//                                                   extension of the first file that had them;
//                                                   executables end in +x.csv
//   outputs/.headway/records/ab/cdef….json          what a key produced, with the key's facts
//   outputs/.headway/lists/<digest>                 texts that facts refer to: the members of a
//                                                   fan-in
//   outputs/.headway/logs/<key>.log                 what the attempts at a key printed
//   outputs/.headway/partial/<key>.<attempt>/       state of an unfinished stage
//   outputs/.headway/partial/<key>.<attempt>-numerics   what made it (lib/worker/state_numerics.h)
//   outputs/.headway/continuations/<family>/<amount>-<key>-<digest>/
//                                                   state of a finished stage, from which a longer
//                                                   one can continue, with the folder's digest; the
//                                                   name continuations stays, as stores have it
//   outputs/.headway/locks/<key>                    held while a key is being made
//   outputs/.headway/state/<pipeline>[@<variant>]   what each stage did last (a journal)
//   outputs/.headway/latest/<pipeline>[@<variant>]  digests of the files of the run that began
//   last;
//                                                   runs that write to the history share <…>.lock
//   outputs/.headway/<client>/                      what a client of the engine keeps of its own
//   outputs/.headway/runs/<id>/                     trace and summary of one run; while it lives,
//                                                   live.json says what it is doing
//   outputs/.headway/work/<id>/                     where running stages write; <id>.lock is held
//                                                   by their process
//   outputs/.headway/cluster/<id>/                  what a run keeps of its work on a cluster
//                                                   (lib/cluster/session.h); <id>.lock is held by
//                                                   it
//   outputs/.headway/digests                        remembered digests of files (a journal)
//   outputs/.headway/lock                           shared by runs, exclusive for gc
#pragma once

#include <charconv>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "lib/base/digest.h"
#include "lib/base/file_system.h"

namespace headway {

// The name of a folder in continuations/<family>/. It has the digest of the contents, so that
// whoever copies the folder can check them.
struct PrefixStateName {
  std::int64_t amount = 0;
  Digest key;       // of the stage that wrote it
  Digest contents;  // of the folder

  std::string text() const {
    return std::to_string(amount) + "-" + key.hex() + "-" + contents.hex();
  }
  // Nothing if the text is not such a name.
  static std::optional<PrefixStateName> parse(std::string_view text) {
    PrefixStateName name;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), name.amount);
    const std::string_view rest = text.substr(static_cast<std::size_t>(end - text.data()));
    const std::size_t middle = rest.find('-', 1);
    if (error != std::errc() || !rest.starts_with('-') || middle == rest.npos) return std::nullopt;
    const std::optional<Digest> key = Digest::from_hex(rest.substr(1, middle - 1));
    const std::optional<Digest> contents = Digest::from_hex(rest.substr(middle + 1));
    if (!key || !contents) return std::nullopt;
    return PrefixStateName{name.amount, *key, *contents};
  }
};

class Layout {
 public:
  static constexpr const char* kStore = ".headway";
  static constexpr const char* kLockSuffix = ".lock";  // of the lock of a run's work folder

  // "outputs/" means the same as "outputs".
  explicit Layout(const Path& outputs)
      : outputs_(outputs.has_filename() ? outputs : outputs.parent_path()),
        root_(outputs_ / kStore) {}

  const Path& outputs() const { return outputs_; }
  const Path& root() const { return root_; }
  Path objects() const { return root_ / "objects"; }
  Path object(const Digest& digest, const std::string& extension, bool is_executable) const {
    return spread("/objects/", digest, is_executable ? "+x" + extension : extension);
  }
  Path records() const { return root_ / "records"; }
  Path record(const Digest& key) const { return spread("/records/", key, ".json"); }
  Path lists() const { return root_ / "lists"; }
  Path list(const Digest& digest) const { return lists() / digest.hex(); }
  Path logs() const { return root_ / "logs"; }
  Path log(const Digest& key) const { return logs() / (key.hex() + ".log"); }
  Path partials() const { return root_ / "partial"; }
  Path partial(const Digest& key, const std::string& attempt) const {
    return partials() / (key.hex() + "." + attempt);
  }
  Path prefix_states() const { return root_ / "continuations"; }
  Path prefix_states(const Digest& family) const { return prefix_states() / family.hex(); }
  Path locks() const { return root_ / "locks"; }
  Path lock(const Digest& key) const { return locks() / key.hex(); }
  Path states() const { return root_ / "state"; }
  Path state(const std::string& pipeline, const std::string& variant) const {
    return states() / (variant.empty() ? pipeline : pipeline + "@" + variant);
  }
  // A folder of a client of the engine, for what it keeps of its own.
  Path client(const std::string& name) const { return root_ / name; }
  Path runs() const { return root_ / "runs"; }
  Path run(const std::string& id) const { return runs() / id; }
  Path live_run(const std::string& id) const { return run(id) / "live.json"; }
  Path works() const { return root_ / "work"; }
  Path cluster() const { return root_ / "cluster"; }
  Path digests() const { return root_ / "digests"; }
  Path store_lock() const { return root_ / "lock"; }
  Path latest() const { return root_ / "latest"; }
  Path latest(const std::string& pipeline, const std::string& variant) const {
    return latest() / state(pipeline, variant).filename();
  }
  Path results(const std::string& pipeline, const std::string& variant) const {
    return variant.empty() ? outputs_ / pipeline : outputs_ / pipeline / variant;
  }

 private:
  // In one of 256 folders, so that none becomes too large to list. Built as text, because every
  // object of every run needs it, and joining paths costs several times as much.
  Path spread(const char* folder, const Digest& digest, const std::string& extension) const {
    const std::string hex = digest.hex();
    std::string text = root_.native();
    return text.append(folder).append(hex, 0, 2).append("/").append(hex, 2).append(extension);
  }

  Path outputs_;
  Path root_;
};

}  // namespace headway
