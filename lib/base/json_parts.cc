#include "lib/base/json_parts.h"

#include <cassert>
#include <set>
#include <utility>
#include <vector>

namespace headway {
namespace {

class PartReader final : public nlohmann::json_sax<Json> {
 public:
  PartReader(JsonParts parts, const std::function<void(JsonPart&&)>& each)
      : splits_(parts == JsonParts::kElements), each_(each) {}

  bool null() override { return take(nullptr); }
  bool boolean(bool value) override { return take(value); }
  bool number_integer(number_integer_t value) override { return take(value); }
  bool number_unsigned(number_unsigned_t value) override { return take(value); }
  bool number_float(number_float_t value, const string_t&) override { return take(value); }
  bool string(string_t& value) override { return take(std::move(value)); }
  bool binary(binary_t&) override { return true; }  // not in JSON
  bool start_object(std::size_t) override { return open(Json::object()); }
  bool start_array(std::size_t) override { return open(Json::array()); }
  bool end_object() override { return close(); }
  bool end_array() override { return close(); }

  bool key(string_t& name) override {
    const bool is_new = is_split() ? root_keys_.insert(name).second : !open_.back().contains(name);
    if (!is_new) repeated_ = name;
    if (!is_new && is_split()) repeats_at_root_ = true;
    keys_[open_.size() - 1] = std::move(name);
    return true;
  }

  bool parse_error(std::size_t, const std::string&, const nlohmann::detail::exception&) override {
    return false;
  }

 private:
  // Whether the elements of what is open are parts: it is the root, or a list in a map there.
  bool is_split() const {
    return splits_ && (open_.size() == 1 ||
                       (open_.size() == 2 && open_[0].is_object() && open_[1].is_array()));
  }

  bool open(Json&& empty) {
    open_.push_back(std::move(empty));
    keys_.resize(open_.size());
    if (is_split() && open_.back().is_array()) index_ = 0;
    return true;
  }

  bool close() {
    const bool was_split = is_split();
    Json value = std::move(open_.back());
    open_.pop_back();
    if (!was_split) return take(std::move(value));
    if (value.is_array() && index_ == 0) give(std::nullopt, std::move(value));
    return true;
  }

  void give(std::optional<std::size_t> index, Json&& value) {
    const bool in_map = !open_.empty() && open_[0].is_object();
    JsonPart part{in_map ? keys_[0] : "", index, std::move(value), std::move(repeated_)};
    part.repeats_at_root = std::exchange(repeats_at_root_, false);
    repeated_.clear();
    each_(std::move(part));
  }

  bool take(Json&& value) {
    if (open_.empty() || is_split()) {
      const bool in_list = !open_.empty() && open_.back().is_array();
      give(in_list ? std::optional(index_++) : std::nullopt, std::move(value));
    } else if (open_.back().is_array()) {
      open_.back().push_back(std::move(value));
    } else {
      open_.back()[keys_[open_.size() - 1]] = std::move(value);
    }
    return true;
  }

  bool splits_;
  const std::function<void(JsonPart&&)>& each_;
  std::vector<Json> open_;         // maps and lists around the place, from the root
  std::vector<std::string> keys_;  // of each, if it is a map: the place's
  std::set<std::string> root_keys_;
  std::string repeated_;
  bool repeats_at_root_ = false;
  std::size_t index_ = 0;
};

}  // namespace

void read_json_parts(std::string_view text, JsonParts parts,
                     const std::function<void(JsonPart&&)>& each) {
  PartReader reader(parts, each);
  [[maybe_unused]] const bool is_json = Json::sax_parse(text, &reader);
  assert(is_json);
}

}  // namespace headway
