// Models and batches so small that a test of many of them takes less than a second.
#pragma once

#include "lib/nn/checkpoint.h"

namespace headway::testing {

inline constexpr ModelKind kEveryKind[] = {ModelKind::kEncoder, ModelKind::kEncoderDecoder,
                                           ModelKind::kDecoder};
inline constexpr NormPlace kEveryNorm[] = {NormPlace::kPost, NormPlace::kPre};
inline constexpr FeedKind kEveryFeed[] = {FeedKind::kRelu, FeedKind::kGelu, FeedKind::kGated,
                                          FeedKind::kNone};
inline constexpr Encoding kEveryEncoding[] = {Encoding::kSinusoidal, Encoding::kLearned,
                                              Encoding::kNone,       Encoding::kRope,
                                              Encoding::kAlibi,      Encoding::kRelative};
inline constexpr Pooling kEveryPooling[] = {Pooling::kMean, Pooling::kMax, Pooling::kMin,
                                            Pooling::kLast, Pooling::kMulti};

inline constexpr HookPoint kEveryPoint[] = {
    HookPoint::kResidPre, HookPoint::kIn,       HookPoint::kQ, HookPoint::kK,
    HookPoint::kV,        HookPoint::kWeights,  HookPoint::kZ, HookPoint::kHidden,
    HookPoint::kOut,      HookPoint::kResidPost};

// d_model 8, 2 heads, d_ff 12, no dropout, 14 tokens, trained on lengths up to 6; 8 buckets, of
// which the last begins at a distance of 6. An encoder has 10 tokens and 2 classes.
TransformerConfig tiny_config(ModelKind kind = ModelKind::kEncoderDecoder, std::int64_t layers = 1);
TransformerConfig tiny_config(ModelKind kind, Encoding encoding, std::int64_t layers = 1);

// Every parameter drawn, biases and gains too: what starts at 0 or 1 would hide mistakes. Tokens
// are named "0", "1", …, and so are classes.
Checkpoint random_checkpoint(const TransformerConfig& config, std::uint64_t seed = 1);

// Random tokens: inputs of lengths up to `inputs`, of which some are padded, and `fed` tokens. With
// increasing positions if the model takes them from the data, below 3 * the number of tokens.
Batch random_batch(const TransformerConfig& config, std::int64_t size, std::int64_t inputs,
                   std::int64_t fed, std::uint64_t seed = 1);
inline constexpr std::int64_t kLongest = 64;  // for models of such batches

// Without dropout or hooks.
at::Tensor logits_of(const Checkpoint& checkpoint, const Batch& batch);

std::vector<std::string> names_of(const TransformerConfig& config, const std::vector<Unit>& units);
std::string bytes_of(const Parameters& parameters);

}  // namespace headway::testing
