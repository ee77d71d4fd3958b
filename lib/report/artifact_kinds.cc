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
  const std::string_view shown = first_bytes(text, kMostTextBytes);
  const std::string fence(std::max<std::size_t>(3, longest_run(shown, '`') + 1), '`');
  std::string code = fmt::format("{}text\n{}{}{}\n", fence, shown,
                                 shown.ends_with('\n') || shown.empty() ? "" : "\n", fence);
  if (shown.size() < text.size())
    code += fmt::format("\nThese are the first {} of {}.\n", format_bytes(shown.size()),
                        format_bytes(text.size()));
  return code;
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
