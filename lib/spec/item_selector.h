// The part of a reference after the @, where it is not an item's name: `mode=zero,seed=1` is the
// item with these values, `seed=1,*` all items with that one. In a merged pipeline the axes of its
// variations count too, and the name of an item stands for all of its axes: `zero,seed=1`.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "lib/spec/pipeline_spec.h"

namespace headway {

class ItemSelector {
 public:
  explicit ItemSelector(std::string_view text);

  // Whether a text can be one: it has '=' or '*'.
  static bool is_selector(std::string_view text);

  // It ends in `*`: a list, however many items there are.
  bool is_many() const { return is_many_; }
  bool matches(const StageSpec& stage) const;
  // Why none of the stages matches; to be called if so.
  std::string why_none(const std::vector<const StageSpec*>& stages) const;

 private:
  struct Part {
    std::string axis;  // empty: the name of an item
    std::string value;
  };
  static bool has(const Coordinates& coordinates, const Part& part);

  std::vector<Part> parts_;
  bool is_many_ = false;
};

}  // namespace headway
