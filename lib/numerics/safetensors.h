// The safetensors format: an 8-byte length, a JSON header, then the arrays' bytes. Loads in Python
// (`safetensors.numpy.load_file`), runs no code, and the same content gives the same bytes. Knows
// nothing of LibTorch: an array is a type, a shape and bytes.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "lib/base/file_system.h"

namespace headway {

enum class ElementType { kF32, kF64, kI32, kI64, kU8 };

std::string_view name_of(ElementType type);                   // "F32"
std::size_t size_of(ElementType type);                        // bytes
std::string shape_text(std::span<const std::int64_t> shape);  // "[3, 128]"; -1 is "*"

struct Array {
  ElementType type = ElementType::kF32;
  std::vector<std::int64_t> shape;  // empty: a single number
  std::string bytes;                // row-major, little-endian; shape's product times size_of(type)

  static Array of(std::vector<std::int64_t> shape, std::span<const float> values);
  static Array of(std::vector<std::int64_t> shape, std::span<const double> values);
  static Array of(std::vector<std::int64_t> shape, std::span<const std::int32_t> values);
  static Array of(std::vector<std::int64_t> shape, std::span<const std::int64_t> values);

  std::int64_t count() const;  // of elements
  // The elements, where they are of that type; an Error that says which type they are where not.
  std::vector<float> floats() const;
  std::vector<double> doubles() const;
  std::vector<std::int32_t> ints() const;
  std::vector<std::int64_t> longs() const;

  bool operator==(const Array&) const = default;
};

struct TensorFile {
  std::map<std::string, std::string, std::less<>> metadata;
  std::map<std::string, Array, std::less<>> arrays;

  // An Error that names the array, and those that there are, where it is missing.
  const Array& at(std::string_view name) const;
  // The same, and it must have this type and shape (-1: any size). The Error says what was expected
  // and what was found.
  const Array& at(std::string_view name, ElementType type,
                  std::span<const std::int64_t> shape) const;

  bool operator==(const TensorFile&) const = default;
};

// Arrays lie in the order of their element sizes, largest first, then of their names: so each is
// aligned for its type, and the bytes do not depend on how the file came to be. Names and metadata
// are UTF-8, else an Error.
std::string to_safetensors(const TensorFile& file);

// Trusts nothing: the header's length, every offset, shape, type and overlap are checked before any
// byte is copied. An Error says what is wrong, introduced by `name`.
TensorFile parse_safetensors(std::string_view bytes, const std::string& name);

// The whole file; an Error where it is missing or no safetensors.
TensorFile read_safetensors(FileSystem& files, const Path& path);

}  // namespace headway
