#include "lib/base/error.h"

#include <cctype>
#include <filesystem>
#include <new>
#include <system_error>

#include "lib/base/json.h"

namespace headway {

std::string describe_errno(int error_number) {
  std::string text = std::generic_category().message(error_number);
  if (!text.empty()) text[0] = static_cast<char>(std::tolower(static_cast<unsigned char>(text[0])));
  return text;
}

std::string describe_exception(const std::exception& exception) {
  if (dynamic_cast<const Error*>(&exception)) return exception.what();
  if (dynamic_cast<const std::bad_alloc*>(&exception)) return "out of memory";
  if (const auto* files = dynamic_cast<const std::filesystem::filesystem_error*>(&exception))
    return "cannot use " +
           (files->path1().empty() ? "the current folder" : files->path1().string()) + ": " +
           describe_errno(files->code().value());
  if (const auto* system = dynamic_cast<const std::system_error*>(&exception))
    return "the system refused: " + describe_errno(system->code().value());
  const std::string what = exception.what();
  if (dynamic_cast<const Json::exception*>(&exception))  // "[json.exception.type_error.302] text"
    return "JSON that is not as expected: " + what.substr(what.find(']') + 2);
  return "an error inside Headway that should not happen: " + what;
}

}  // namespace headway
