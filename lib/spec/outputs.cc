#include "lib/spec/outputs.h"

#include "lib/base/file_system.h"
#include "lib/base/text.h"

namespace headway {

void add_output(const std::string& name, const SourceLocation& location, const Value& file,
                const std::string& subject, std::vector<Output>& outputs,
                Diagnostics& diagnostics) {
  if (!file.text()) {
    diagnostics.add(file.location, "{}: output '{}' expects a file's name, got {}", subject, name,
                    file.describe());
    return;
  }
  const std::string& text = *file.text();
  const Path path = Path(text).lexically_normal();
  const bool leaves = path.is_absolute() || path.empty() || path == "." || *path.begin() == "..";
  if (leaves || text.find('\0') != std::string::npos || text.find('\n') != std::string::npos) {
    diagnostics.add(file.location, "{}: output '{}': '{}' is not a file inside the stage's folder",
                    subject, name, printable(text));
    return;
  }
  const std::string plain =
      path.has_filename() ? path.string() : path.parent_path().string();  // "site/" is "site"
  for (const Output& other : outputs) {
    if (other.file != plain && !plain.starts_with(other.file + "/") &&
        !other.file.starts_with(plain + "/"))
      continue;
    diagnostics.add(file.location, "{}: outputs '{}' and '{}' overlap: '{}' and '{}'", subject,
                    other.name, name, other.file, plain);
    return;
  }
  outputs.push_back({name, plain, "", location});
}

}  // namespace headway
