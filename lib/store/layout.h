// Every name on disk, in one place.
//
//   outputs/<pipeline>[/<variant>]/<stage>/<file>   links to the latest results
//   outputs/.headway/objects/ab/cdef….csv           contents, by digest, with the extension of
//   their first name outputs/.headway/records/ab/cdef….json          what a key produced, and all
//   facts of the key outputs/.headway/lists/<digest>                 the members of a fan-in, by
//   the digest of the list outputs/.headway/logs/<key>.log                 what the last attempt at
//   a key printed outputs/.headway/partial/<key>/                 state of an unfinished stage
//   outputs/.headway/locks/<key>                    held while a key is being made
//   outputs/.headway/state/<pipeline>[@<variant>]   what each stage did last (a journal)
//   outputs/.headway/runs/<id>/                     trace and summary of one run
//   outputs/.headway/work/<id>/                     where running stages write; <id>.lock is held
//   by their process outputs/.headway/parsed/<digest>                large pipeline files, parsed,
//   by the digest of their text outputs/.headway/digests                        remembered digests
//   of files (a journal) outputs/.headway/lock                           shared by runs, exclusive
//   for gc
#pragma once

#include <string>

#include "lib/base/digest.h"
#include "lib/base/file_system.h"

namespace headway {

class Layout {
 public:
  static constexpr const char* kStore = ".headway";

  // "outputs/" means the same as "outputs".
  explicit Layout(const Path& outputs)
      : outputs_(outputs.has_filename() ? outputs : outputs.parent_path()),
        root_(outputs_ / kStore) {}

  const Path& outputs() const { return outputs_; }
  const Path& root() const { return root_; }
  Path objects() const { return root_ / "objects"; }
  Path object(const Digest& digest, const std::string& extension) const {
    return spread("/objects/", digest, extension);
  }
  Path records() const { return root_ / "records"; }
  Path record(const Digest& key) const { return spread("/records/", key, ".json"); }
  Path lists() const { return root_ / "lists"; }
  Path list(const Digest& digest) const { return lists() / digest.hex(); }
  Path logs() const { return root_ / "logs"; }
  Path log(const Digest& key) const { return logs() / (key.hex() + ".log"); }
  Path partials() const { return root_ / "partial"; }
  Path partial(const Digest& key) const { return partials() / key.hex(); }
  Path locks() const { return root_ / "locks"; }
  Path lock(const Digest& key) const { return locks() / key.hex(); }
  Path states() const { return root_ / "state"; }
  Path state(const std::string& pipeline, const std::string& variant) const {
    return states() / (variant.empty() ? pipeline : pipeline + "@" + variant);
  }
  Path runs() const { return root_ / "runs"; }
  Path run(const std::string& id) const { return runs() / id; }
  Path works() const { return root_ / "work"; }
  Path parsed() const { return root_ / "parsed"; }
  Path digests() const { return root_ / "digests"; }
  Path store_lock() const { return root_ / "lock"; }
  Path results(const std::string& pipeline, const std::string& variant) const {
    return variant.empty() ? outputs_ / pipeline : outputs_ / pipeline / variant;
  }

 private:
  // 256 folders, so that none gets too large for tools that list it. Put together as text: this is
  // asked for every object of every run, and joining paths part by part costs several times as
  // much.
  Path spread(const char* folder, const Digest& digest, const std::string& extension) const {
    const std::string hex = digest.hex();
    std::string text = root_.native();
    return text.append(folder).append(hex, 0, 2).append("/").append(hex, 2).append(extension);
  }

  Path outputs_;
  Path root_;
};

}  // namespace headway
