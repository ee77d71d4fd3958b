// The labels of heads in tables: "Decoder Cross L0 H1" is head "H1" of "Decoder Cross L0".
#pragma once

#include <string>

namespace headway {

struct HeadLabel {
  std::string site;
  std::string head;  // "": this is no head, and `site` is the whole label
};

inline HeadLabel split_head_label(const std::string& label) {
  const std::size_t space = label.rfind(' ');
  if (space == std::string::npos) return {label, ""};
  const std::string last = label.substr(space + 1);
  const bool is_head = last.size() > 1 && last[0] == 'H' &&
                       last.find_first_not_of("0123456789", 1) == std::string::npos;
  return is_head ? HeadLabel{label.substr(0, space), last} : HeadLabel{label, ""};
}

}  // namespace headway
