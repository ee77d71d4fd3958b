// Indices with a type of their own, so that a stage's number is never taken for a node's, and
// vectors that are indexed by them.
#pragma once

#include <compare>
#include <cstddef>
#include <limits>
#include <ranges>
#include <vector>

namespace headway {

// `Tag` is any type that only this kind of index has.
template <class Tag>
class Index {
 public:
  constexpr Index() = default;  // none
  constexpr explicit Index(std::size_t value) : value_(value) {}

  constexpr bool exists() const { return value_ != kNone; }
  constexpr std::size_t value() const { return value_; }  // of one that exists
  constexpr auto operator<=>(const Index&) const = default;

 private:
  static constexpr std::size_t kNone = std::numeric_limits<std::size_t>::max();
  std::size_t value_ = kNone;
};

// A vector whose elements belong to the things that `Id` numbers.
template <class Id, class T>
class IndexedVector : public std::vector<T> {
 public:
  using std::vector<T>::vector;
  using std::vector<T>::operator[];

  decltype(auto) operator[](Id id) { return std::vector<T>::operator[](id.value()); }
  decltype(auto) operator[](Id id) const { return std::vector<T>::operator[](id.value()); }

  Id next_id() const { return Id(this->size()); }  // of what is added next
  auto ids() const {
    return std::views::iota(std::size_t{0}, this->size()) |
           std::views::transform([](std::size_t value) { return Id(value); });
  }
};

}  // namespace headway
