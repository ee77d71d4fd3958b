// The transformer: an encoder with a classifier, an encoder and a decoder, or a decoder alone. The
// computation is a walk over its sites (attention and feed-forward layers). A walk can be stopped
// at any site, copied, and continued with another result of that site: so ablation need not
// recompute everything. Decoding is a walk over the decoder that remembers keys and values.
#pragma once

#include <vector>

#include "lib/nn/attention.h"
#include "lib/nn/feed_forward.h"
#include "lib/nn/positions.h"

namespace headway {

std::vector<ParameterShape> parameter_shapes(const TransformerConfig& config);

// A batch of tokens. Without an encoder there are no inputs, without a decoder nothing is fed.
struct Batch {
  at::Tensor inputs;   // int32 [B, S]; any token after the end of a sequence
  at::Tensor lengths;  // int32 [B]: of the inputs; undefined: all are S
  // int32 [B, S]; undefined: counted from 0, if the model does not take them from the data.
  at::Tensor input_positions;
  at::Tensor fed;            // int32 [B, T]: what the decoder reads
  at::Tensor fed_lengths;    // int32 [B]: where there is something to predict; undefined: all T
  at::Tensor fed_positions;  // int32 [B, T]; as those of the inputs
  // What the model should predict: tokens int32 [B, T], padding where nothing is asked, or labels
  // int32 [B].
  at::Tensor targets;
};

// The state of a computation before the site `next`. Copies are independent.
struct Walk {
  std::size_t next = 0;
  std::int64_t batch = 0;    // B
  std::int64_t inputs = 0;   // S
  std::int64_t outputs = 0;  // T: positions of the decoder in this walk
  std::int64_t before = 0;   // P: positions of earlier walks, whose keys and values are cached
  bool caches = false;       // remembers keys and values of the decoder
  at::Tensor lengths;        // int32 [B], or undefined
  at::Tensor encoded;        // [B * S, d]
  at::Tensor decoded;        // [B * T, d]
  // Before the first site of a stack: what repeats in its stream.
  Repeats encoder_repeats, decoder_repeats;
  // What the three kinds of attention know of positions. The decoder's keys are those of all
  // P + T positions.
  AttentionPositions encoder_positions, decoder_positions, cross_positions;
  // For each decoder layer: keys and values of the encoder's output [B * S, 2 * H * D], set after
  // the encoder; those of the decoder's own positions [B, P + T, 2 * H * D], if it caches.
  std::vector<at::Tensor> memory;
  std::vector<at::Tensor> cache;

  // The residual stream that the site works on, and its positions in a sample.
  const at::Tensor& stream(const Site& site) const { return site.is_encoder() ? encoded : decoded; }
  at::Tensor& stream(const Site& site) { return site.is_encoder() ? encoded : decoded; }
  Repeats& repeats(const Site& site) {
    return site.is_encoder() ? encoder_repeats : decoder_repeats;
  }
  std::int64_t length(const Site& site) const { return site.is_encoder() ? inputs : outputs; }
  const AttentionPositions& positions(const Site& site) const {
    if (site.is_encoder()) return encoder_positions;
    return site.module == Module::kDecoderCross ? cross_positions : decoder_positions;
  }
};

class Transformer {
 public:
  // For positions below `longest`; more throw Error.
  Transformer(TransformerConfig config, const Replica& parameters, std::int64_t longest);

  const TransformerConfig& config() const { return config_; }
  const std::vector<Site>& sites() const { return sites_; }
  std::int64_t longest() const { return longest_; }

  Walk begin(const Batch& batch) const;
  // The result of the site: all heads' outputs z [B, T, H, D], or what a feed-forward layer adds
  // [B * T, d].
  at::Tensor compute(Walk& walk, DropoutStream& dropout, const Hooks& hooks = {}) const;
  // Continues to the next site with this result.
  void absorb(Walk& walk, const at::Tensor& result, DropoutStream& dropout,
              const Hooks& hooks = {}) const;
  void walk_to(std::size_t end, Walk& walk, DropoutStream& dropout, const Hooks& hooks = {}) const;
  void finish(Walk& walk, DropoutStream& dropout, const Hooks& hooks = {}) const {
    walk_to(sites_.size(), walk, dropout, hooks);
  }
  // [B * T, V] or, of a classifier, [B, classes]; the walk must be finished.
  at::Tensor logits(const Walk& walk, DropoutStream& dropout) const;

  // The complete computation.
  at::Tensor forward(const Batch& batch, DropoutStream& dropout, const Hooks& hooks = {}) const;

  // Decoding, without gradients: only the encoder, if there is one; then some more tokens int32
  // [B, n] at a time, which give the logits of the last one, [B, V]. Positions int32 [B, n], or
  // undefined. Hooks see the new tokens' queries, and in self-attention also only their own keys
  // and values; but weights on all keys.
  Walk begin_decoding(const Batch& batch, const Hooks& hooks) const;
  at::Tensor decode(Walk& walk, const at::Tensor& tokens, const at::Tensor& positions,
                    const Hooks& hooks) const;

 private:
  struct Sublayer {
    Attention attention;  // or
    FeedForward feed;
    Norm norm;
    at::Tensor heads;  // int64 [H]: the attention's heads, if some of the model's were removed
  };

  // The stream, and what repeats in it.
  std::pair<at::Tensor, Repeats> embed_tokens(const at::Tensor& tokens, const at::Tensor& table,
                                              const Positions& encoding,
                                              const at::Tensor& positions,
                                              std::int64_t first) const;
  Walk begin_encoder(const Batch& batch) const;
  void feed_decoder(const at::Tensor& tokens, const at::Tensor& positions, Walk& walk) const;
  void leave_encoder(Walk& walk) const;
  at::Tensor attend(const Site& site, const at::Tensor& in, const Repeats& repeats, Walk& walk,
                    const Dropout& dropout, const Hooks& hooks) const;

  TransformerConfig config_;
  std::int64_t longest_;
  std::vector<Site> sites_;
  std::size_t decoder_begin_ = 0;  // its first site
  at::Tensor input_table_;         // [V, d]
  at::Tensor output_table_;        // [V, d]
  Positions encoder_positions_, decoder_positions_, cross_positions_;
  std::vector<Sublayer> sublayers_;   // of the sites
  Norm encoder_norm_, decoder_norm_;  // with pre-norm
  Linear read_out_;                   // [V, d]
  Linear gather_;                     // [d, F * d], for several pooled features
  Linear widen_;                      // [d, d]
  Linear choose_;                     // [classes, d]
};

// The most likely class of each row of logits [N, V], the first if equal: int32 [N].
at::Tensor most_likely(const at::Tensor& logits);

}  // namespace headway
