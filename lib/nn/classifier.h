// The sequence classifier: a transformer encoder (post-norm), pooling, then two layers that choose
// a class. Uses the same blocks as the sequence-to-sequence model.
#pragma once

#include "lib/nn/attention.h"
#include "lib/nn/classifier_config.h"
#include "lib/nn/positions.h"

namespace headway {

std::vector<ParameterShape> parameter_shapes(const ClassifierConfig& config);

struct ClassifierBatch {
  at::Tensor tokens;   // int32 [B, T]; any token after the end of a sequence
  at::Tensor lengths;  // int32 [B]; undefined: all have length T
  at::Tensor labels;   // int32 [B]
};

class Classifier {
 public:
  // For sequences up to `longest`.
  Classifier(const ClassifierConfig& config, const ParameterMap& parameters, std::int64_t longest);

  const ClassifierConfig& config() const { return config_; }
  // The logits [B, classes].
  at::Tensor forward(const ClassifierBatch& batch, DropoutStream& dropout) const;

 private:
  struct Layer {
    Attention self;
    FeedForward feed;
  };
  at::Tensor embed_tokens(const at::Tensor& tokens) const;

  ClassifierConfig config_;
  std::int64_t longest_;
  at::Tensor table_;  // [V, d]
  Positions positions_;
  std::vector<Layer> layers_;
  Linear gather_;  // [d, F * d], for several pooled features
  Linear widen_;   // [d, d]
  Linear choose_;  // [classes, d]
};

}  // namespace headway
