// The encoder-decoder transformer: post-norm, sinusoidal positions, teacher forcing. The
// computation is a walk over the attention sites. A walk can be stopped at any site, copied, and
// continued with other head outputs: so ablation need not recompute everything.
#pragma once

#include <functional>
#include <vector>

#include "lib/nn/attention.h"
#include "lib/nn/seq2seq_config.h"

namespace headway {

std::vector<ParameterShape> parameter_shapes(const Seq2SeqConfig& config);

// A batch of tokens. `lengths` of the inputs are set only if some are padded.
struct Seq2SeqBatch {
  at::Tensor inputs;   // int32 [B, S]
  at::Tensor lengths;  // int32 [B], or undefined
  at::Tensor fed;      // int32 [B, T]: BOS, then the target without its last token
  at::Tensor targets;  // int32 [B, T]
};

// The state of a computation before the attention at site `next`.
struct Seq2SeqWalk {
  std::size_t next = 0;
  std::int64_t batch = 0;    // B
  std::int64_t inputs = 0;   // S
  std::int64_t outputs = 0;  // T
  at::Tensor lengths;        // int32 [B], or undefined
  at::Tensor encoded;        // [B * S, d]
  at::Tensor decoded;        // [B * T, d]
  // Keys and values of the decoder's cross-attentions, one for each layer, set after the encoder:
  // [B * S, 2 * H * D].
  std::vector<at::Tensor> memory;
};

// Observes or replaces the work of heads, such as for ablation. Without hooks nothing changes.
struct HeadHooks {
  // Called with the weights [B, H, T, S] of every attention.
  std::function<void(const AttentionSite&, const at::Tensor& weights)> on_weights;
  // Called with all heads' outputs z [B, T, H, D] before they are mixed; returns what to use
  // instead.
  std::function<at::Tensor(const AttentionSite&, const at::Tensor& z)> on_output;

  // The heads' outputs to continue with.
  at::Tensor pass(const AttentionSite& site, const AttentionResult& result) const;
};

class Seq2Seq {
 public:
  Seq2Seq(Seq2SeqConfig config, const ParameterMap& parameters);

  const Seq2SeqConfig& config() const { return config_; }
  const std::vector<AttentionSite>& sites() const { return sites_; }

  Seq2SeqWalk begin(const Seq2SeqBatch& batch) const;
  AttentionResult attend(const Seq2SeqWalk& walk, DropoutStream& dropout) const;
  // Continues to the next site, with z [B, T, H, D] as the heads' output at this one.
  void absorb(Seq2SeqWalk& walk, const at::Tensor& z, DropoutStream& dropout) const;
  // Walks to the site `end`; finish: to the last one.
  void walk_to(std::size_t end, Seq2SeqWalk& walk, DropoutStream& dropout,
               const HeadHooks& hooks) const;
  void finish(Seq2SeqWalk& walk, DropoutStream& dropout, const HeadHooks& hooks = {}) const {
    walk_to(sites_.size(), walk, dropout, hooks);
  }
  at::Tensor logits(const Seq2SeqWalk& walk) const;  // [B * T, V]; the walk must be finished

  // The complete computation: [B * T, V].
  at::Tensor forward(const Seq2SeqBatch& batch, DropoutStream& dropout,
                     const HeadHooks& hooks = {}) const;

  // Only the encoder: returns a walk before the decoder, with `decoded` undefined.
  Seq2SeqWalk encode(const at::Tensor& inputs, const at::Tensor& lengths,
                     const HeadHooks& hooks) const;
  // One token for each sample, at `position`, without gradient: [B, V]. Extends `cache`, the keys
  // and values of earlier positions, for each layer [B, position, 2 * H * D].
  at::Tensor decode_step(const Seq2SeqWalk& encoded, const at::Tensor& tokens,
                         std::int64_t position, std::vector<at::Tensor>& cache,
                         const HeadHooks& hooks) const;

 private:
  struct EncoderLayer {
    Attention self;
    FeedForward feed;
  };
  struct DecoderLayer {
    Attention self;
    Attention cross;
    FeedForward feed;
  };

  at::Tensor embed_tokens(const at::Tensor& tokens, const at::Tensor& table,
                          std::int64_t first) const;

  Seq2SeqConfig config_;
  std::vector<AttentionSite> sites_;
  at::Tensor input_table_;   // [V, d]
  at::Tensor output_table_;  // [V, d]
  std::vector<EncoderLayer> encoder_;
  std::vector<DecoderLayer> decoder_;
  Linear read_out_;       // [V, d]
  at::Tensor positions_;  // [kLongest, d]
};

// Longer sequences throw Error.
inline constexpr std::int64_t kLongestInput = 1024;

// Greedy decoding: feeds the model its own most likely tokens. The encoder runs once; each step
// computes one position and caches keys and values. inputs int32 [B, S], lengths int32 [B] or
// undefined -> int32 [B, steps].
at::Tensor greedy_decode(const Seq2Seq& model, const at::Tensor& inputs, const at::Tensor& lengths,
                         std::int32_t first_token, std::int64_t steps, const HeadHooks& hooks = {});

// The most likely class of each row of logits [N, V], the first if equal: int32 [N].
at::Tensor most_likely(const at::Tensor& logits);

}  // namespace headway
