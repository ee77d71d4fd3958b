#include "lib/extrapolation/figures/encodings.h"

#include <fmt/format.h>

#include <charconv>

#include "lib/base/error.h"
#include "lib/base/text.h"

namespace headway {

std::string encoding_of(const NamedTensors& file) {
  const auto found = file.file.metadata.find("encoding");
  return found == file.file.metadata.end() || found->second.empty() ? file.name : found->second;
}

std::size_t trained_positions(const NamedTensors& file) {
  const auto found = file.file.metadata.find("trained");
  if (found == file.file.metadata.end()) return 0;
  const std::string& text = found->second;
  std::size_t trained = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), trained);
  if (error == std::errc() && end == text.data() + text.size()) return trained;
  throw Error(
      fmt::format("{}: metadata 'trained' must be how many positions were trained, not '{}'",
                  subject_of(file), printable(text)));
}

bool has_positions(const NamedTensors& file) {
  return file.file.arrays.contains("positions");
}

std::size_t last_trained_line(std::size_t trained, std::size_t positions) {
  return trained < positions ? trained : 0;
}

FloatMatrix dimensions_by_position(const NamedTensors& file) {
  return required_matrix(file, "positions").transposed();
}

}  // namespace headway
