#include "lib/numerics/attention_maps.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <regex>

#include "lib/base/error.h"

namespace headway {
namespace {

constexpr AttentionMaps::Stack kStacks[] = {
    {R"(encoder\.([0-9]{1,4})\.self)", "Encoder self", "Encoder", "inputs", "inputs"},
    {R"(decoder\.([0-9]{1,4})\.self)", "Decoder self", "Decoder Self", "decoder_inputs",
     "decoder_inputs"},
    {R"(decoder\.([0-9]{1,4})\.cross)", "Decoder cross", "Decoder Cross", "decoder_inputs",
     "inputs"}};

// The part of one problem; the first dimension is the problem.
template <class T>
std::vector<T> slice(const Array& array, std::size_t problem) {
  const std::size_t size = array.bytes.size() / static_cast<std::size_t>(array.shape[0]);
  std::vector<T> values(size / sizeof(T));
  std::copy_n(array.bytes.data() + problem * size, size, reinterpret_cast<char*>(values.data()));
  return values;
}

}  // namespace

std::string AttentionMaps::Site::label() const {
  return fmt::format("{} L{}", stack->label, layer);
}

AttentionMaps::AttentionMaps(const TensorFile& file) : file_(file) {
  const auto problems = file.metadata.find("problems");
  if (problems == file.metadata.end()) throw Error("no metadata 'problems': the problems' texts");
  try {
    problems_ = parse_json(problems->second).value_or(nullptr).get<std::vector<std::string>>();
  } catch (const Json::exception&) {
  }
  if (problems_.empty())
    throw Error("metadata 'problems' must be a JSON list of texts, with at least one");
  const auto heads = file.metadata.find("heads");
  if (heads == file.metadata.end()) return;
  heads_ = parse_json(heads->second).value_or(nullptr);
  if (!heads_.is_object())
    throw Error("metadata 'heads' must be a JSON map from module to head numbers");
}

std::vector<AttentionMaps::Site> AttentionMaps::sites() const {
  std::vector<Site> sites;
  for (const Stack& stack : kStacks) {
    const std::regex pattern(stack.arrays);
    std::smatch match;
    for (const auto& [name, array] : file_.arrays) {
      if (std::regex_match(name, match, pattern))
        sites.push_back({name, &stack, std::stoi(match[1])});
    }
  }
  if (sites.empty())
    throw Error("no attention maps: an array such as 'encoder.0.self' is expected");
  std::ranges::stable_sort(sites, {},
                           [](const Site& site) { return std::pair(site.stack, site.layer); });
  for (Site& site : sites) {
    const std::vector<std::int64_t> shape = {std::ssize(problems_), -1,
                                             tokens(site.stack->queries).shape[1],
                                             tokens(site.stack->keys).shape[1]};
    site.weights = &file_.at(site.name, ElementType::kF32, shape);
  }
  return sites;
}

Json AttentionMaps::heads_of(const Site& site) const {
  if (!heads_.is_null()) return heads_.value(site.name, Json::array());
  std::vector<std::size_t> numbers(site.heads());
  std::iota(numbers.begin(), numbers.end(), 0);
  return numbers;
}

std::vector<float> AttentionMaps::weights(const Site& site, std::size_t problem) const {
  return slice<float>(*site.weights, problem);
}

std::vector<std::int32_t> AttentionMaps::tokens(std::string_view name, std::size_t problem) const {
  return slice<std::int32_t>(tokens(name), problem);
}

const Array& AttentionMaps::tokens(std::string_view name) const {
  const std::vector<std::int64_t> shape = {std::ssize(problems_), -1};
  return file_.at(name, ElementType::kI32, shape);
}

}  // namespace headway
