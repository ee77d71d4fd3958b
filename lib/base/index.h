// Indices with a type of their own, so that a stage's number is never taken for a node's, and
// vectors that are indexed by them.
#pragma once

#include <algorithm>
#include <compare>
#include <cstddef>
#include <limits>
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
  std::vector<Id> ids() const {                    // of all elements, for loops
    std::vector<Id> ids;
    for (std::size_t i = 0; i < this->size(); ++i) ids.emplace_back(i);
    return ids;
  }
};

// The place of a value in a list, to whose end it is added if it is new.
template <class T>
std::size_t place_of(const T& value, std::vector<T>& known) {
  const auto found = std::ranges::find(known, value);
  const auto place = static_cast<std::size_t>(found - known.begin());
  if (found == known.end()) known.push_back(value);
  return place;
}

}  // namespace headway
