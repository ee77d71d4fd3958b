// A file of attention weights of single problems, of any transformer:
//
//     arrays     for each attention (encoder.0.self, decoder.1.self, decoder.1.cross) its weights,
//                F32 [problems, heads, queries, keys]; as token numbers, I32 [problems, tokens]:
//                inputs (where something attends to the encoder's tokens), decoder_inputs (where
//                there is a decoder), targets and predictions (of models that answer with
//                sequences), next and next_wanted (of models that continue the decoder's tokens:
//                what the model predicts after each of them, and what is right, -1 where it is not
//                asked); input_lengths and decoder_lengths, I32 [problems]: what lies beyond is
//                padding
//     metadata   as JSON: problems, their texts; tokens, the text of each token by number; answers
//                and wanted, the texts of what the model answered and should have, equal where it
//                is right; confidences, the probabilities of the answers; heads, a map from
//                attention to head numbers, without which they count from 0
//
// All but problems and the weights with their tokens may be missing. Without tokens, numbers are
// shown. If the last tokens are pad, bos and end, they are markers: written in capitals, and not
// part of an answer.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "lib/base/json.h"
#include "lib/numerics/safetensors.h"

namespace headway {

// By this name, reports know such a file before it exists.
inline constexpr std::string_view kAttentionMapsFile = "maps.safetensors";

// All functions throw Error if the file has another form.
class AttentionMaps {
 public:
  // A kind of attention: its arrays, its names for people and in tables, and the arrays of the
  // tokens that attend and are attended to.
  struct Stack {
    const char *arrays, *module, *label, *queries, *keys;
  };
  struct Site {
    std::string name;  // "decoder.0.cross"
    const Stack* stack = nullptr;
    int layer = 0;
    const Array* weights = nullptr;  // with padding

    std::string label() const;  // "Decoder Cross L0"
    std::size_t heads() const { return static_cast<std::size_t>(weights->shape[1]); }
  };

  // Whether the file says that it contains attention maps; they may still have mistakes.
  static bool are_in(const TensorFile& file);

  // Uses the file as long as it exists.
  explicit AttentionMaps(const TensorFile& file);

  const std::vector<std::string>& problems() const { return problems_; }
  // "": not in the metadata.
  const std::string& answer(std::size_t problem) const { return answers_.at(problem); }
  const std::string& wanted(std::size_t problem) const { return wanted_.at(problem); }
  std::optional<double> confidence(std::size_t problem) const;
  // At least one; encoder, decoder self, decoder cross; each by layer.
  std::vector<Site> sites() const;
  // The numbers of a site's heads before pruning, as in the metadata, which may be wrong.
  Json heads_of(const Site& site) const;

  // Of one problem, without padding.
  std::vector<float> weights(const Site& site,
                             std::size_t problem) const;  // [heads, queries, keys]
  bool has(std::string_view tokens) const { return file_.arrays.contains(tokens); }
  // The texts of "inputs" or "decoder_inputs".
  std::vector<std::string> tokens(std::string_view name, std::size_t problem) const;
  // The same for "targets" or "predictions": up to the end marker.
  std::vector<std::string> answer_tokens(std::string_view name, std::size_t problem) const;
  // The same for "next" or "next_wanted", for each of decoder_inputs; nothing where it is not
  // asked.
  std::vector<std::optional<std::string>> next_tokens(std::string_view name,
                                                      std::size_t problem) const;

 private:
  const Array& array(std::string_view name) const;  // I32 [problems, tokens]
  std::size_t length(std::string_view name, std::size_t problem) const;
  std::string text(std::int32_t token) const;

  const TensorFile& file_;
  std::vector<std::string> problems_;
  std::vector<std::string> answers_;
  std::vector<std::string> wanted_;
  std::vector<double> confidences_;  // empty: not in the metadata
  std::vector<std::string> texts_;   // of tokens, by number; empty: not in the metadata
  std::int32_t pad_ = -1;            // -1: no marker
  std::int32_t end_ = -1;
  Json heads_;  // null: not in the metadata
};

}  // namespace headway
