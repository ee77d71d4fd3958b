#include "lib/spec/named_files.h"

#include <fnmatch.h>

#include "lib/base/error.h"
#include "lib/base/text.h"

namespace headway {
namespace {

constexpr const char* kWildcards = "*?";
constexpr std::size_t kMostFiles = 100'000;

bool is_pattern(std::string_view text) {
  return text.find_first_of(kWildcards) != std::string_view::npos;
}

// The pattern for fnmatch: brackets are letters like others.
std::string plain_brackets(const std::string& pattern) {
  std::string text;
  for (const char c : pattern) text += c == '[' ? std::string("[[]") : std::string(1, c);
  return text;
}

// The part of a name that the pattern leaves open: "a" of a.csv for *.csv.
std::string open_part(const std::string& name, const std::string& pattern) {
  const std::size_t begin = pattern.find_first_of(kWildcards);
  const std::size_t after = pattern.size() - pattern.find_last_of(kWildcards) - 1;
  return name.substr(begin, name.size() - begin - after);
}

std::vector<std::string> parts_of(const Path& path) {
  std::vector<std::string> parts;
  for (const Path& part : path) {
    if (!part.empty()) parts.push_back(part.string());
  }
  return parts;
}

}  // namespace

bool is_path(std::string_view reference) {
  return reference.find('/') != std::string_view::npos;
}

std::optional<FileInfo> NamedFiles::info_behind_links(Path path) const {
  constexpr int kMostLinks = 40;  // as the kernel
  std::optional<FileInfo> info = files_.info(path);
  for (int i = 0; i < kMostLinks && info && info->kind == FileInfo::Kind::kSymlink; ++i) {
    path = path.parent_path() / files_.read_link(path).value_or("");
    info = files_.info(path);
  }
  return info;
}

std::string NamedFiles::problem(const std::string& name) const {
  const std::string shown = (shown_ / name).string();
  try {
    const auto info = info_behind_links(folder_ / name);
    if (!info) return "no such file: " + shown;
    if (info->kind == FileInfo::Kind::kSymlink) return "a link that leads to itself: " + shown;
    if (info->kind == FileInfo::Kind::kOther) return "a device or pipe, not a file: " + shown;
    return "";
  } catch (const Error& error) {
    return error.what();
  }
}

bool NamedFiles::is_file_nearby(const std::string& word) {
  try {
    if (!nearby_) {
      const std::vector<std::string> names = files_.list(folder_);
      nearby_.emplace(names.begin(), names.end());
      nearby_->insert({".", ".."});
    }
    const Path path = word;
    if (path.is_absolute() || !nearby_->contains(path.begin()->string())) return false;
    const std::optional<FileInfo> info = info_behind_links(folder_ / path);
    return info && info->is_file();
  } catch (const Error&) {  // too long for a name, in a folder that we may not read
    return false;
  }
}

InputFiles::File NamedFiles::read(const Path& path, std::string item) const {
  const std::string name = path.string();
  if (printable(name) != name)  // lists of files have a line for each
    throw Error("the name of the file '{}' has a character that cannot be shown", printable(name));
  if (const std::string mistake = problem(name); !mistake.empty()) throw Error("{}", mistake);
  const std::optional<FileInfo> info = info_behind_links(folder_ / path);
  return {name, std::move(item), info && info->is_directory()};
}

void NamedFiles::match(const Path& found, std::span<const std::string> rest,
                       const std::string& item, InputFiles& result) const {
  if (rest.empty()) {
    if (result.files.size() == kMostFiles) throw Error("more than {} files match", kMostFiles);
    result.files.push_back(read(found, item));
    return;
  }
  const std::string& pattern = rest.front();
  const std::string brackets = plain_brackets(pattern);
  for (const std::string& name : files_.list(folder_ / found)) {
    if (fnmatch(brackets.c_str(), name.c_str(), FNM_PERIOD | FNM_NOESCAPE) != 0) continue;
    const std::string part = open_part(name, pattern);
    const std::string longer = item.empty() ? part : item + "-" + part;
    Path path = found / name;
    std::span<const std::string> after = rest.subspan(1);
    while (!after.empty() && !is_pattern(after.front())) {
      path /= after.front();
      after = after.subspan(1);
    }
    const std::optional<FileInfo> info = info_behind_links(folder_ / path);
    if (info && (after.empty() || info->is_directory())) match(path, after, longer, result);
  }
}

std::shared_ptr<const InputFiles> NamedFiles::find(const std::string& written) {
  std::shared_ptr<const InputFiles>& known = found_[written];
  if (known) return known;
  InputFiles result{written, is_pattern(written), {}};
  if (!result.is_pattern) {
    const Path path = written;
    result.files.push_back(
        read(path, (path.has_filename() ? path : path.parent_path()).stem().string()));
  } else {
    if (written.find("**") != std::string::npos)
      throw Error("'{}': there is no '**'; write one '*' for each folder", printable(written));
    const std::vector<std::string> parts = parts_of(written);
    std::size_t fixed = 0;  // parts before the first pattern
    Path found;
    while (!is_pattern(parts[fixed])) found /= parts[fixed++];
    match(found, std::span(parts).subspan(fixed), "", result);
    if (result.files.empty()) throw Error("no file matches {}", (shown_ / written).string());
  }
  return known = std::make_shared<const InputFiles>(std::move(result));
}

}  // namespace headway
