// The shape of a sequence-to-sequence model, and the names of its heads: `encoder.0.self.2` in
// files, `Encoder L0 H2` for people. Does not need LibTorch.
#pragma once

#include <vector>

#include "lib/nn/transformer_shape.h"

namespace headway {

enum class AttentionModule { kEncoder, kDecoderSelf, kDecoderCross };
template <>
inline constexpr std::string_view kNamesOf<AttentionModule>[] = {"encoder", "decoder-self",
                                                                 "decoder-cross"};

// One attention of the model, with its heads.
struct AttentionSite {
  AttentionModule module = AttentionModule::kEncoder;
  std::int64_t layer = 0;
  std::size_t index = 0;  // among all sites, in order of computation

  std::string name() const;   // "decoder.1.cross"
  std::string label() const;  // "Decoder Cross L1"
};

struct HeadId {
  std::size_t site = 0;
  int head = 0;  // original number in the trained model

  auto operator<=>(const HeadId&) const = default;
};

// n_layers: of the encoder, and of the decoder. With attention_dropout, a model does not learn
// answers in which every token must be exact.
struct Seq2SeqConfig : TransformerShape {
  std::int64_t vocabulary = 14;
  // The remaining heads of each site; empty: all.
  std::vector<std::vector<int>> kept;

  std::vector<AttentionSite> sites() const;  // encoder first, then each decoder layer's self, cross
  std::vector<int> heads_of(std::size_t site) const;
  std::vector<HeadId> heads() const;     // all remaining, in order
  std::string name(HeadId head) const;   // "decoder.1.cross.0"
  std::string label(HeadId head) const;  // "Decoder Cross L1 H0"
  Seq2SeqConfig without(const std::vector<HeadId>& removed) const;

  // Throws Error if the values do not fit, such as kept heads that do not exist.
  void check() const;

  template <class Self, class Visit>  // of all but the kept heads
  static void each_field(Self& self, const Visit& visit) {
    TransformerShape::each_field(self, visit);
    visit("vocabulary", self.vocabulary);
  }
};

// The description in files: all fields, and the heads of each attention. Reading throws Error or
// Json::exception with what is wrong.
Json to_json(const Seq2SeqConfig& config);
Seq2SeqConfig seq2seq_config_from(const Json& json);

}  // namespace headway
