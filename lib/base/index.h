// Indices with a type of their own, so that a stage's number is never taken for a node's, and
// vectors that are indexed by them.
#pragma once

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

// The ids from 0 to below `size`, for loops. Written by hand because clang 14 cannot compile the
// views of libstdc++ 12.
template <class Id>
class IdRange {
 public:
  class Iterator {
   public:
    using value_type = Id;
    using difference_type = std::ptrdiff_t;

    Iterator() = default;
    explicit Iterator(std::size_t value) : value_(value) {}
    Id operator*() const { return Id(value_); }
    Iterator& operator++() { return ++value_, *this; }
    Iterator operator++(int) { return Iterator(value_++); }
    bool operator==(const Iterator&) const = default;

   private:
    std::size_t value_ = 0;
  };

  explicit IdRange(std::size_t size) : size_(size) {}
  Iterator begin() const { return Iterator(0); }
  Iterator end() const { return Iterator(size_); }

 private:
  std::size_t size_;
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
  IdRange<Id> ids() const { return IdRange<Id>(this->size()); }
};

}  // namespace headway
