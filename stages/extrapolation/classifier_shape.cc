#include "stages/extrapolation/classifier_shape.h"

namespace headway {

ClassifierConfig classifier_shape(const TrainClassifierParams& params) {
  ClassifierConfig config;
  static_cast<TransformerShape&>(config) = params.model;
  config.encoding = value_of<Encoding>(kEncodingNames, params.encoding);
  config.pooling = value_of<Pooling>(kPoolingNames, params.pooling);
  config.beyond = value_of<Beyond>(kBeyondNames, params.beyond);
  config.position_scale = params.position_scale;
  config.position_seed = static_cast<std::uint64_t>(params.seed);
  config.alibi = value_of<AlibiShape>(kAlibiNames, params.alibi);
  config.buckets = params.buckets;
  config.farthest = params.farthest;
  return config;
}

}  // namespace headway
