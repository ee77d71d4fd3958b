#include "lib/train/batches.h"

#include <ATen/ops/empty.h>
#include <ATen/ops/full.h>

#include <numeric>

#include "lib/base/error.h"

namespace headway {
namespace {

std::vector<std::int64_t> numbers_from(std::int64_t first, std::int64_t count) {
  std::vector<std::int64_t> numbers(static_cast<std::size_t>(count));
  std::iota(numbers.begin(), numbers.end(), first);
  return numbers;
}

std::span<const std::int32_t> row_of(const std::vector<std::int32_t>& rows, std::int64_t width,
                                     std::int64_t sample) {
  if (rows.empty()) return {};
  return std::span(rows).subspan(static_cast<std::size_t>(sample * width),
                                 static_cast<std::size_t>(width));
}

// Rows of different lengths, to become one tensor.
class Rows {
 public:
  void begin() { ends_.push_back(values_.size()); }
  void add(std::int32_t value) { values_.push_back(value), ends_.back() = values_.size(); }

  std::int64_t count() const { return std::ssize(ends_); }
  std::int64_t longest() const {
    std::int64_t most = 0;
    for (std::int64_t row = 0; row < count(); ++row) most = std::max(most, length(row));
    return most;
  }
  // int32 [rows, longest].
  at::Tensor tensor(std::int32_t filler) const {
    const std::int64_t width = longest();
    at::Tensor result = at::full({count(), width}, filler, at::kInt);
    auto* to = result.data_ptr<std::int32_t>();
    for (std::int64_t row = 0; row < count(); ++row)
      std::copy_n(values_.begin() + first(row), length(row), to + row * width);
    return result;
  }
  // int32 [rows]; undefined if all are equally long.
  at::Tensor lengths() const {
    at::Tensor result = at::empty({count()}, at::kInt);
    bool differ = false;
    for (std::int64_t row = 0; row < count(); ++row) {
      result.data_ptr<std::int32_t>()[row] = static_cast<std::int32_t>(length(row));
      differ |= length(row) != length(0);
    }
    return differ ? result : at::Tensor();
  }

 private:
  std::int64_t first(std::int64_t row) const {
    return row == 0 ? 0 : static_cast<std::int64_t>(ends_[static_cast<std::size_t>(row - 1)]);
  }
  std::int64_t length(std::int64_t row) const {
    return static_cast<std::int64_t>(ends_[static_cast<std::size_t>(row)]) - first(row);
  }

  std::vector<std::int32_t> values_;
  std::vector<std::size_t> ends_;
};

// Writes the samples of a batch row by row.
class BatchMaker {
 public:
  BatchMaker(const TransformerConfig& config, const Split& split)
      : config_(config), split_(split), vocabulary_(split.vocabulary()) {}

  void add(std::int64_t sample, std::int32_t offset) {
    for (Rows* rows : {&inputs_, &input_positions_, &fed_, &fed_positions_, &targets_})
      rows->begin();
    sample_ = sample;
    offset_ = offset;
    input_ = split_.input(sample).first(static_cast<std::size_t>(split_.input_size(sample)));
    if (split_.target_length > 0)
      target_ = split_.target(sample).first(static_cast<std::size_t>(split_.target_size(sample)));
    if (config_.has_encoder()) read_input();
    switch (config_.kind) {
      case ModelKind::kEncoder:
        targets_.add(split_.labels[static_cast<std::size_t>(sample)]);
        break;
      case ModelKind::kEncoderDecoder:
        feed_target();
        break;
      case ModelKind::kDecoder:
        if (split_.target_length > 0) {
          feed_input_and_target();
        } else {
          feed_input();
        }
        break;
    }
  }

  Batch batch() const {
    Batch batch;
    // An encoder alone has no markers among its tokens.
    const Token filler = config_.has_decoder() ? vocabulary_.pad() : 0;
    if (config_.has_encoder()) {
      batch.inputs = inputs_.tensor(filler);
      batch.lengths = inputs_.lengths();
      if (moves_) batch.input_positions = input_positions_.tensor(0);
    }
    if (!config_.has_decoder()) {
      batch.targets = targets_.tensor(0).flatten();
      return batch;
    }
    batch.fed = fed_.tensor(filler);
    batch.fed_lengths = fed_.lengths();
    if (moves_) batch.fed_positions = fed_positions_.tensor(0);
    batch.targets = targets_.tensor(vocabulary_.pad());
    return batch;
  }

  // Positions are not simply counted from 0.
  void set_moves(bool moves) { moves_ = moves; }

 private:
  std::int32_t given(const std::vector<std::int32_t>& positions, std::int64_t width,
                     std::size_t at) const {
    return row_of(positions, width, sample_)[at];
  }
  bool has_given() const { return config_.positions == PositionSource::kData; }
  std::int32_t input_position(std::size_t at) const {
    return offset_ + (has_given() ? given(split_.input_positions, split_.input_length, at)
                                  : static_cast<std::int32_t>(at));
  }
  std::int32_t target_position(std::size_t at) const {
    return offset_ + given(split_.target_positions, split_.target_length, at);
  }

  void feed(Token token, std::int32_t position) {
    fed_.add(token);
    if (moves_) fed_positions_.add(position);
  }
  // Of bos: before the token that follows it.
  std::int32_t before(std::int32_t position) const { return std::max(offset_, position - 1); }

  void read_input() {
    for (std::size_t at = 0; at < input_.size(); ++at) {
      inputs_.add(input_[at]);
      if (moves_) input_positions_.add(input_position(at));
    }
  }

  // A decoder beside an encoder: each position is that of the token it writes, so that a query and
  // the inputs it needs can have the same one.
  void feed_target() {
    for (std::size_t at = 0; at < target_.size(); ++at) {
      const auto counted = offset_ + static_cast<std::int32_t>(at);
      feed(at == 0 ? vocabulary_.bos() : target_[at - 1],
           has_given() ? target_position(at) : counted);
      targets_.add(target_[at]);
    }
  }

  void feed_input() {
    for (std::size_t at = 0; at < input_.size(); ++at) {
      const auto counted = offset_ + static_cast<std::int32_t>(at);
      const std::int32_t position = !has_given() ? counted
                                    : at == 0    ? before(input_position(0))
                                                 : input_position(at - 1);
      feed(at == 0 ? vocabulary_.bos() : input_[at - 1], position);
      targets_.add(split_.asks(sample_, static_cast<std::int64_t>(at)) ? input_[at]
                                                                       : vocabulary_.pad());
    }
  }

  void feed_input_and_target() {
    const auto counted = [&] { return offset_ + fed_in_row_++; };
    fed_in_row_ = 0;
    for (std::size_t at = 0; at < input_.size(); ++at) {
      feed(input_[at], has_given() ? input_position(at) : counted());
      const bool asked = at + 1 < input_.size() &&  // bos comes after the last one
                         split_.asks(sample_, static_cast<std::int64_t>(at) + 1);
      targets_.add(asked ? input_[at + 1] : vocabulary_.pad());
    }
    for (std::size_t at = 0; at < target_.size(); ++at) {
      const std::int32_t position = !has_given() ? counted()
                                    : at == 0    ? before(target_position(0))
                                                 : target_position(at - 1);
      feed(at == 0 ? vocabulary_.bos() : target_[at - 1], position);
      targets_.add(target_[at]);
    }
  }

  const TransformerConfig& config_;
  const Split& split_;
  const Vocabulary& vocabulary_;
  bool moves_ = false;
  // The current sample, without padding.
  std::int64_t sample_ = 0;
  std::int32_t offset_ = 0;
  std::int32_t fed_in_row_ = 0;
  std::span<const Token> input_, target_;
  Rows inputs_, input_positions_, fed_, fed_positions_, targets_;
};

// By what batches are made of similar samples.
std::vector<std::int64_t> sizes_of(const Split& split) {
  std::vector<std::int64_t> sizes(static_cast<std::size_t>(split.size()));
  for (std::int64_t sample = 0; sample < split.size(); ++sample)
    sizes[static_cast<std::size_t>(sample)] =
        split.input_size(sample) + (split.target_length > 0 ? split.target_size(sample) : 0);
  return sizes;
}

// Stable for equal sizes.
void sort_by_size(const Split& split, std::vector<std::int64_t>& samples) {
  const std::vector<std::int64_t> sizes = sizes_of(split);
  std::ranges::stable_sort(
      samples, {}, [&](std::int64_t sample) { return sizes[static_cast<std::size_t>(sample)]; });
}

std::vector<std::int64_t> bucketed_order(const Split& split, std::int64_t batch,
                                         RandomStream random) {
  std::vector<std::int64_t> sorted = numbers_from(0, split.size());
  random.shuffle(std::span(sorted));
  sort_by_size(split, sorted);
  // Shuffles whole batches. The incomplete last batch gets samples from anywhere.
  const std::size_t size = static_cast<std::size_t>(batch), full = sorted.size() / size;
  const std::size_t left = sorted.size() - full * size;
  const std::size_t from = full == 0 ? 0 : random.below(full + 1) * size;
  const auto cut = sorted.begin() + static_cast<std::ptrdiff_t>(from);
  std::rotate(cut, cut + static_cast<std::ptrdiff_t>(left), sorted.end());
  std::vector<std::int64_t> batches = numbers_from(0, static_cast<std::int64_t>(full));
  random.shuffle(std::span(batches));
  std::vector<std::int64_t> order;
  order.reserve(sorted.size());
  for (const std::int64_t number : batches) {
    const auto first = sorted.begin() + number * batch;
    order.insert(order.end(), first, first + batch);
  }
  order.insert(order.end(), sorted.begin() + static_cast<std::ptrdiff_t>(full * size),
               sorted.end());
  return order;
}

const char* kind_text(TargetKind kind) {
  constexpr const char* kTexts[] = {"target sequences", "labels", "neither targets nor labels"};
  return kTexts[static_cast<std::size_t>(kind)];
}

}  // namespace

Batch make_batch(const TransformerConfig& config, const Split& split,
                 std::span<const std::int64_t> samples, std::span<const std::int32_t> offsets) {
  BatchMaker maker(config, split);
  maker.set_moves(config.positions == PositionSource::kData || !offsets.empty());
  for (std::size_t i = 0; i < samples.size(); ++i)
    maker.add(samples[i], offsets.empty() ? 0 : offsets[i]);
  return maker.batch();
}

Batch make_batch(const TransformerConfig& config, const Split& split, std::int64_t first,
                 std::int64_t count) {
  return make_batch(config, split, numbers_from(first, count));
}

std::int64_t answer_length(const Split& split) {
  switch (split.kind()) {
    case TargetKind::kLabel:
      return 1;
    case TargetKind::kSequence:
      return split.target_length;
    case TargetKind::kNone:
      break;
  }
  return split.input_length;
}

std::int64_t answer_begin(const TransformerConfig& config, const Split& split,
                          std::int64_t sample) {
  const bool after_input = config.kind == ModelKind::kDecoder && split.target_length > 0;
  return after_input ? split.input_size(sample) : 0;
}

std::int64_t asked_count(const TransformerConfig& config, const Split& split,
                         std::span<const std::int64_t> samples) {
  if (config.kind == ModelKind::kEncoder) return std::ssize(samples);
  std::int64_t count = 0;
  for (const std::int64_t sample : samples) {
    const std::int64_t inputs = split.input_size(sample);
    if (split.target_length > 0) count += split.target_size(sample);
    if (config.kind != ModelKind::kDecoder) continue;
    // Nothing comes before the first input token, unless it is bos.
    for (std::int64_t at = split.target_length > 0 ? 1 : 0; at < inputs; ++at)
      count += split.asks(sample, at);
  }
  return count;
}

std::int64_t sequence_length(const TransformerConfig& config, const Split& split,
                             std::int64_t sample) {
  const std::int64_t input = split.input_size(sample), target = split.target_size(sample);
  return config.kind == ModelKind::kDecoder ? input + target : std::max(input, target);
}

std::int64_t positions_needed(const TransformerConfig& config, const Split& split) {
  if (config.positions == PositionSource::kData) {
    std::int32_t last = 0;
    for (const auto* positions : {&split.input_positions, &split.target_positions}) {
      if (!positions->empty()) last = std::max(last, std::ranges::max(*positions));
    }
    return last + 1;
  }
  std::int64_t longest = 0;
  for (std::int64_t sample = 0; sample < split.size(); ++sample)
    longest = std::max(longest, sequence_length(config, split, sample));
  return longest;
}

void check_fits(const TransformerConfig& config, const Split& split) {
  const TargetKind kind = split.kind();
  const bool labels = kind == TargetKind::kLabel;
  if (config.kind == ModelKind::kEncoder && !labels)
    throw Error("a classifier needs data with labels, but this has {}", kind_text(kind));
  if (config.kind == ModelKind::kEncoderDecoder && kind != TargetKind::kSequence)
    throw Error("an encoder-decoder needs data with target sequences, but this has {}",
                kind_text(kind));
  if (config.kind == ModelKind::kDecoder && labels)
    throw Error("a decoder writes sequences, but this data has labels");
  if (config.positions != PositionSource::kData) return;
  if (split.input_positions.empty() || (split.target_length > 0 && split.target_positions.empty()))
    throw Error("the model takes positions from the data, but it gives none for its {}",
                split.input_positions.empty() ? "inputs" : "targets");
}

std::vector<std::int64_t> training_order(const Split& split, std::int64_t batch,
                                         RandomStream random) {
  if (!split.has_equal_lengths()) return bucketed_order(split, batch, random);
  std::vector<std::int64_t> order = numbers_from(0, split.size());
  random.shuffle(std::span(order));
  return order;
}

std::vector<std::int64_t> order_by_length(const Split& split) {
  std::vector<std::int64_t> order = numbers_from(0, split.size());
  if (!split.has_equal_lengths()) sort_by_size(split, order);
  return order;
}

std::int64_t scoring_batch(const Split& split) {
  constexpr std::int64_t kPositions = 1536, kLargestBatch = 128;
  constexpr std::int64_t kLogits = 1 << 24;  // of a batch, where there are many words
  const std::int64_t positions = std::min(kPositions, kLogits / split.vocabulary().size());
  return std::clamp<std::int64_t>(positions / (split.input_length + split.target_length), 1,
                                  kLargestBatch);
}

}  // namespace headway
