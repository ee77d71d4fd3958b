#include "tests/support/disk_state.h"

#include <fmt/format.h>

#include <algorithm>

#include "lib/base/digest.h"

namespace headway::testing {
namespace {

std::string torn_bytes(const Inode& inode, Tear tear) {
  const std::string& bytes = inode.bytes;
  const std::size_t durable = inode.durable;
  const std::size_t middle = durable + (bytes.size() - durable) / 2;
  const auto zeros_from = [&](std::size_t at) {
    return bytes.substr(0, at) + std::string(bytes.size() - at, '\0');
  };
  switch (tear) {
    case Tear::kNone:
      return bytes;
    case Tear::kGone:
      return bytes.substr(0, durable);
    case Tear::kHalf:
      return bytes.substr(0, middle);
    case Tear::kShort:
      return bytes.substr(0,
                          std::max(durable, bytes.size() - std::min<std::size_t>(2, bytes.size())));
    case Tear::kZeros:
      return zeros_from(durable);
    case Tear::kZeroEnd:
      return zeros_from(middle);
  }
  return bytes;
}

void fingerprint_below(const DiskState& state, std::uint64_t number, std::string& text) {
  const Inode& inode = *state.inodes[number];
  text += fmt::format("{} {} {} {} {} {} ", number, static_cast<int>(inode.info.kind),
                      inode.info.mtime_ns, inode.info.ctime_ns, inode.is_protected,
                      inode.info.is_executable);
  append_field(text, inode.bytes);
  for (const auto& [name, entry] : inode.entries) {
    append_field(text, name);
    fingerprint_below(state, entry, text);
  }
  text += '.';
}

}  // namespace

const char* name_of(Tear tear) {
  static constexpr const char* kNames[] = {"whole",     "empty", "half",
                                           "cut short", "zeros", "zeros at its end"};
  return kNames[static_cast<std::size_t>(tear)];
}

std::vector<std::uint64_t> unsettled_files(const DiskState& state) {
  std::vector<std::uint64_t> files;
  for (std::uint64_t number = 0; number < state.inodes.size(); ++number) {
    const auto& inode = state.inodes[number];
    if (inode && inode->info.is_file() && inode->durable < inode->bytes.size())
      files.push_back(number);
  }
  return files;
}

std::vector<std::uint64_t> without_journals(const DiskState& state,
                                            std::vector<std::uint64_t> files) {
  std::erase_if(files, [&](std::uint64_t file) {
    const Path path = path_of(state, file);
    return path.filename() == "digests" || path.parent_path().filename() == "state";
  });
  return files;
}

DiskState torn(const DiskState& state, const std::vector<std::uint64_t>& files, Tear tear) {
  DiskState left = state;
  for (const std::uint64_t number : unsettled_files(state)) {
    auto inode = std::make_shared<Inode>(*state.inodes[number]);
    if (std::find(files.begin(), files.end(), number) != files.end())
      inode->bytes = torn_bytes(*inode, tear);
    inode->durable = inode->bytes.size();  // what survived the cut is on disk
    inode->is_lost = false;
    left.inodes[number] = std::move(inode);
  }
  return left;
}

std::string path_of(const DiskState& state, std::uint64_t inode) {
  for (std::uint64_t folder = 0; folder < state.inodes.size(); ++folder) {
    if (!state.inodes[folder]) continue;
    for (const auto& [name, entry] : state.inodes[folder]->entries) {
      if (entry == inode) return path_of(state, folder) + "/" + name;
    }
  }
  return "";
}

std::string fingerprint(const DiskState& state) {
  std::string text;
  fingerprint_below(state, 1, text);
  return digest_of(text).hex();
}

}  // namespace headway::testing
