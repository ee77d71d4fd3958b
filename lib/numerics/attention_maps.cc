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

constexpr std::string_view kMarkers[] = {"pad", "bos", "end"};
constexpr std::string_view kShownMarkers[] = {"PAD", "BOS", "END"};

// The metadata of this name; null if there are none.
Json metadata_of(const TensorFile& file, std::string_view name) {
  const auto found = file.metadata.find(name);
  return found == file.metadata.end() ? Json() : parse_json(found->second).value_or(Json());
}

std::vector<std::string> texts_in(const TensorFile& file, std::string_view name) {
  if (!file.metadata.contains(name)) throw Error("no metadata '{}'", name);
  try {
    auto texts = metadata_of(file, name).get<std::vector<std::string>>();
    if (!texts.empty()) return texts;
  } catch (const Json::exception&) {
  }
  throw Error("metadata '{}' must be a JSON list of texts, with at least one", name);
}

// The part of one problem; the first dimension is the problem.
template <class T>
std::vector<T> slice(const Array& array, std::size_t problem) {
  const std::size_t size = array.bytes.size() / static_cast<std::size_t>(array.shape[0]);
  std::vector<T> values(size / sizeof(T));
  std::copy_n(array.bytes.data() + problem * size, size, reinterpret_cast<char*>(values.data()));
  return values;
}

// The texts of each problem; empty ones if there are none in the metadata.
std::vector<std::string> texts_by_problem(const TensorFile& file, std::string_view name,
                                          std::size_t problems) {
  if (!file.metadata.contains(name)) return std::vector<std::string>(problems);
  std::vector<std::string> texts = texts_in(file, name);
  if (texts.size() != problems)
    throw Error("metadata '{}' has {} texts for {} problems", name, texts.size(), problems);
  return texts;
}

// The array of the lengths of these tokens.
const char* lengths_of(std::string_view tokens) {
  return tokens == "inputs" ? "input_lengths" : "decoder_lengths";
}

}  // namespace

std::string AttentionMaps::Site::label() const {
  return fmt::format("{} L{}", stack->label, layer);
}

bool AttentionMaps::are_in(const TensorFile& file) {
  return file.metadata.contains("problems") &&
         (file.metadata.contains("tokens") || file.metadata.contains("heads"));
}

AttentionMaps::AttentionMaps(const TensorFile& file)
    : file_(file),
      problems_(texts_in(file, "problems")),
      answers_(texts_by_problem(file, "answers", problems_.size())),
      wanted_(texts_by_problem(file, "wanted", problems_.size())),
      heads_(metadata_of(file, "heads")) {
  if (file.metadata.contains("heads") && !heads_.is_object())
    throw Error("metadata 'heads' must be a JSON map from module to head numbers");
  if (file.metadata.contains("confidences")) {
    const Json confidences = metadata_of(file, "confidences");
    const bool are_numbers = confidences.is_array() && confidences.size() == problems_.size() &&
                             std::ranges::all_of(confidences, &Json::is_number);
    if (!are_numbers)
      throw Error("metadata 'confidences' must be a JSON list of numbers, one for each problem");
    confidences_ = confidences.get<std::vector<double>>();
  }
  if (!file.metadata.contains("tokens")) return;
  texts_ = texts_in(file, "tokens");
  const std::ptrdiff_t words = std::ssize(texts_) - std::ssize(kMarkers);
  if (words < 0 || !std::equal(std::begin(kMarkers), std::end(kMarkers), texts_.begin() + words))
    return;
  pad_ = static_cast<std::int32_t>(words);
  end_ = pad_ + 2;
  std::copy(std::begin(kShownMarkers), std::end(kShownMarkers), texts_.begin() + words);
}

std::optional<double> AttentionMaps::confidence(std::size_t problem) const {
  return confidences_.empty() ? std::nullopt : std::optional(confidences_.at(problem));
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
                                             array(site.stack->queries).shape[1],
                                             array(site.stack->keys).shape[1]};
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
  const std::vector<float> all = slice<float>(*site.weights, problem);
  const auto rows = static_cast<std::size_t>(site.weights->shape[2]);
  const auto columns = static_cast<std::size_t>(site.weights->shape[3]);
  const std::size_t queries = length(site.stack->queries, problem);
  const std::size_t keys = length(site.stack->keys, problem);
  std::vector<float> weights;
  weights.reserve(site.heads() * queries * keys);
  for (std::size_t head = 0; head < site.heads(); ++head) {
    for (std::size_t query = 0; query < queries; ++query) {
      const auto row = all.begin() + static_cast<std::ptrdiff_t>((head * rows + query) * columns);
      weights.insert(weights.end(), row, row + static_cast<std::ptrdiff_t>(keys));
    }
  }
  return weights;
}

std::vector<std::string> AttentionMaps::tokens(std::string_view name, std::size_t problem) const {
  std::vector<std::string> texts;
  for (const std::int32_t token : slice<std::int32_t>(array(name), problem))
    texts.push_back(text(token));
  texts.resize(length(name, problem));
  return texts;
}

std::vector<std::string> AttentionMaps::answer_tokens(std::string_view name,
                                                      std::size_t problem) const {
  std::vector<std::int32_t> numbers = slice<std::int32_t>(array(name), problem);
  numbers.erase(std::ranges::find(numbers, end_), numbers.end());
  while (!numbers.empty() && numbers.back() == pad_) numbers.pop_back();
  std::vector<std::string> texts;
  for (const std::int32_t token : numbers) texts.push_back(text(token));
  return texts;
}

std::vector<std::optional<std::string>> AttentionMaps::next_tokens(std::string_view name,
                                                                   std::size_t problem) const {
  const std::vector<std::int64_t> shape = array("decoder_inputs").shape;
  const Array& next = file_.at(name, ElementType::kI32, shape);
  std::vector<std::optional<std::string>> texts;
  for (const std::int32_t token : slice<std::int32_t>(next, problem))
    texts.push_back(token == -1 ? std::nullopt : std::optional(text(token)));
  texts.resize(length("decoder_inputs", problem));
  return texts;
}

const Array& AttentionMaps::array(std::string_view name) const {
  const std::vector<std::int64_t> shape = {std::ssize(problems_), -1};
  return file_.at(name, ElementType::kI32, shape);
}

std::size_t AttentionMaps::length(std::string_view name, std::size_t problem) const {
  const std::int64_t most = array(name).shape[1];
  const char* lengths = lengths_of(name);
  std::int64_t length = most;
  if (has(lengths)) {
    const std::vector<std::int64_t> shape = {std::ssize(problems_)};
    length = file_.at(lengths, ElementType::kI32, shape).ints()[problem];
  }
  if (length < 1 || length > most)
    throw Error("problem {} has {} of the {} tokens in '{}': at least one is expected, and no more",
                problem, length, most, name);
  return static_cast<std::size_t>(length);
}

std::string AttentionMaps::text(std::int32_t token) const {
  if (texts_.empty()) return std::to_string(token);
  const bool is_there = token >= 0 && token < std::ssize(texts_);
  return is_there ? texts_[static_cast<std::size_t>(token)] : fmt::format("?{}", token);
}

}  // namespace headway
