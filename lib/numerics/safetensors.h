// The safetensors format: an 8-byte length, a JSON header, then the arrays' bytes. Readable in
// Python (`safetensors.numpy.load_file`); contains no code; equal contents give equal bytes. Does
// not need LibTorch: an array is a type, a shape and bytes.
#pragma once

#include <algorithm>
#include <cstdint>
#include <functional>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "lib/base/enum_names.h"
#include "lib/base/file_system.h"
#include "lib/base/json.h"

namespace headway {

enum class ElementType { kF32, kF64, kI32, kI64, kU8 };
template <>
inline constexpr std::string_view kNamesOf<ElementType>[] = {"F32", "F64", "I32", "I64", "U8"};
std::size_t size_of(ElementType type);                        // bytes
std::string shape_text(std::span<const std::int64_t> shape);  // "[3, 128]"; -1 is "*"

template <class T>
constexpr ElementType element_type() {
  if constexpr (std::is_same_v<T, float>) return ElementType::kF32;
  if constexpr (std::is_same_v<T, double>) return ElementType::kF64;
  if constexpr (std::is_same_v<T, std::int32_t>) return ElementType::kI32;
  if constexpr (std::is_same_v<T, std::int64_t>) return ElementType::kI64;
}

struct Array {
  ElementType type = ElementType::kF32;
  std::vector<std::int64_t> shape;  // empty: a scalar
  std::string bytes;                // row-major, little-endian; shape's product times size_of(type)

  // From a vector or span of float, double, int32 or int64.
  template <class Values>
  static Array of(std::vector<std::int64_t> shape, const Values& values) {
    const auto bytes = std::as_bytes(std::span(values));
    return {element_type<typename Values::value_type>(), std::move(shape),
            std::string(reinterpret_cast<const char*>(bytes.data()), bytes.size())};
  }

  std::int64_t count() const;  // number of elements
  // The elements. Throws Error that names the actual type if it is another.
  template <class T>
  std::vector<T> elements() const {
    require(element_type<T>());
    std::vector<T> values(bytes.size() / sizeof(T));
    std::copy_n(bytes.data(), bytes.size(), reinterpret_cast<char*>(values.data()));
    return values;
  }
  std::vector<float> floats() const { return elements<float>(); }
  std::vector<std::int32_t> ints() const { return elements<std::int32_t>(); }
  void require(ElementType expected) const;  // throws the same Error

  bool operator==(const Array&) const = default;
};

struct TensorFile {
  std::map<std::string, std::string, std::less<>> metadata;
  std::map<std::string, Array, std::less<>> arrays;

  // Throws Error that names the array and lists the existing ones if it is missing.
  const Array& at(std::string_view name) const;
  // Also checks type and shape (-1: any size). Throws Error with what was expected and found.
  const Array& at(std::string_view name, ElementType type,
                  std::span<const std::int64_t> shape) const;
  // A metadata entry as JSON; null if there is none. Throws Error if it is no JSON, or has a key
  // twice in one map.
  Json json(const std::string& key) const;

  bool operator==(const TensorFile&) const = default;
};

// Arrays are sorted by element size, largest first, then by name: so each is aligned, and the bytes
// do not depend on the order of creation. Throws Error if names or metadata are not UTF-8.
std::string to_safetensors(const TensorFile& file);

// Checks the header's length and every offset, shape, type and overlap before copying. Throws Error
// that begins with `name`.
TensorFile parse_safetensors(std::string_view bytes, const std::string& name);

// Reads a file. Throws Error if it is missing or not safetensors.
TensorFile read_safetensors(FileSystem& files, const Path& path);

}  // namespace headway
