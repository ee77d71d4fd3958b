#include "lib/worker/state_numerics.h"

#include <fmt/format.h>

#include <algorithm>

#include "lib/base/text.h"

namespace headway {
namespace {

std::string then(const std::vector<std::string>& numerics) {
  return join(numerics, ", then ");
}

}  // namespace

void StateNumerics::check() {
  RealFileSystem files;
  const std::string here = all_.front();
  std::optional<std::string> note = files.read(note_of(job_.partial));
  if (!note) note = files.read(job_.partial / kFile);
  const std::string noted(trim(note.value_or("")));
  if (noted.empty() || noted == here || !has_state()) return;
  std::vector<std::string> made_with = split(noted, '\n');
  const std::string made_before = printable(then(made_with));
  if (!job_.resume_on_other_numerics) {
    files.remove(job_.partial);
    files.make_directories(job_.partial);
    notice_ = fmt::format(
        "the saved state was made with {}; this machine computes with {}, so the stage starts from "
        "nothing",
        made_before, here);
    return;
  }
  if (std::ranges::find(made_with, here) == made_with.end()) made_with.push_back(here);
  all_ = std::move(made_with);
  notice_ = fmt::format(
      "this machine computes with {}, but the saved state was made with {}; the stage continues "
      "it, so its last digits may differ from those of a run on one kind of machine",
      here, made_before);
}

bool StateNumerics::has_state() const {
  return std::ranges::any_of(RealFileSystem().list(job_.partial),
                             [](const std::string& name) { return name != kFile; });
}

void StateNumerics::note() const {
  RealFileSystem files;
  const std::string lines = join(all_, "\n") + "\n";
  const Path file = note_of(job_.partial);
  if (files.read(file) != lines) files.replace(file, lines);
}

std::string StateNumerics::text() const {
  return then(all_);
}

}  // namespace headway
