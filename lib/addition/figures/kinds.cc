#include "lib/addition/figures/kinds.h"

#include "lib/addition/vocabulary.h"

namespace headway {
namespace {

bool is_marker(Token token) {
  return token == kPad || token == kBos || token == kEos;
}

}  // namespace

FigureKinds addition_figure_kinds() {
  const TokenNames tokens = {.label = token_label, .spelled = [](Token token) {
                               return is_marker(token) ? "" : token_text(token);
                             }};
  return {attention_kind(tokens),
          {.name = "carry-accuracy",
           .help = "accuracy by carries, carry chain, leading digit and position",
           .from_tables = draw_carry_accuracy}};
}

}  // namespace headway
