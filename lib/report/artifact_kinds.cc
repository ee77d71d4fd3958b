#include "lib/report/artifact_kinds.h"

#include <fmt/format.h>

#include <algorithm>

#include "lib/base/error.h"
#include "lib/base/text.h"
#include "lib/report/markdown_html.h"

namespace headway {

std::string extension_of(const SourceFile& file) {
  const std::size_t dot = file.name.rfind('.');
  return dot == std::string::npos ? "" : file.name.substr(dot);
}

void expect_kind(const SourceFile& file, std::initializer_list<std::string_view> extensions,
                 std::string_view expected) {
  const std::string extension = extension_of(file);
  if (extension.empty() ||
      std::find(extensions.begin(), extensions.end(), extension) != extensions.end())
    return;
  throw Error(fmt::format("{} ({}): {}", file.origin, printable(file.name), expected));
}

bool is_attention(const TensorFile& file) {
  return file.metadata.contains("problems") && file.metadata.contains("heads");
}

std::string fenced(const std::string& text) {
  std::string fence = "```";
  while (text.find(fence) != std::string::npos) fence += '`';
  return fence + "text\n" + text + (text.ends_with('\n') || text.empty() ? "" : "\n") + fence +
         "\n";
}

std::string markdown_of(const SourceFile& file) {
  std::size_t fences = 0;
  for (const std::string& line : split(file.bytes, '\n'))
    fences += trim(line).starts_with("```") || trim(line).starts_with("~~~");
  try {
    HeadingIds unused;
    render_markdown(file.bytes, unused, file.origin);
  } catch (const Error&) {
    return fenced(file.bytes);
  }
  return fences % 2 == 0 ? file.bytes + "\n" : fenced(file.bytes);
}

}  // namespace headway
