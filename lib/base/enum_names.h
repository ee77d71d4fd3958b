// Enumerations whose values have names, for files and parameters. List the names in the order of
// the values, which must count from 0:
//
//     template <>
//     inline constexpr std::string_view kNamesOf<Colour>[] = {"red", "blue"};
#pragma once

#include <algorithm>
#include <cstddef>
#include <iterator>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>

namespace headway {

template <class E>
inline constexpr std::nullptr_t kNamesOf = nullptr;

template <class E>
concept NamedEnum = std::is_array_v<std::remove_reference_t<decltype(kNamesOf<E>)>>;

template <NamedEnum E>
std::string name_of(E value) {
  return std::string(kNamesOf<E>[static_cast<std::size_t>(value)]);
}

// Nothing for other names.
template <NamedEnum E>
std::optional<E> value_of(std::string_view name) {
  const auto found = std::ranges::find(kNamesOf<E>, name);
  if (found == std::end(kNamesOf<E>)) return std::nullopt;
  return static_cast<E>(found - std::begin(kNamesOf<E>));
}

}  // namespace headway
