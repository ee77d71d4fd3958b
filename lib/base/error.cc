#include "lib/base/error.h"

#include <cctype>
#include <system_error>

namespace headway {

std::string describe_errno(int error_number) {
  std::string text = std::generic_category().message(error_number);
  if (!text.empty()) text[0] = static_cast<char>(std::tolower(static_cast<unsigned char>(text[0])));
  return text;
}

}  // namespace headway
