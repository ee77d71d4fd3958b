// The commands of formulas that stand for one symbol or one name. Knows no grammar.
#pragma once

#include <map>
#include <string_view>

namespace headway {

// What a piece of a formula is to its neighbours; spaces, and whether a minus is a sign, depend on
// it.
enum class FormulaKind {
  kOrdinary,     // x, 2, \alpha, a fraction
  kBinary,       // +, \times
  kRelation,     // =, \to
  kOpening,      // (
  kClosing,      // )
  kPunctuation,  // ,
  kFunction,     // \sin
  kLimits,       // \sum, \max: in a formula of its own, what is below and above stands there
  kIntegral,     // \int: what is below and above stands behind it
  kBraced,       // \underbrace: what is below and above always stands there
  kSpace
};

struct FormulaSymbol {
  std::string_view text;
  FormulaKind kind = FormulaKind::kOrdinary;
};

// By command, without the backslash.
inline const std::map<std::string_view, FormulaSymbol>& formula_symbols() {
  using enum FormulaKind;
  static const std::map<std::string_view, FormulaSymbol> kSymbols = {
      {"alpha", {"α"}},
      {"beta", {"β"}},
      {"gamma", {"γ"}},
      {"delta", {"δ"}},
      {"epsilon", {"ϵ"}},
      {"varepsilon", {"ε"}},
      {"zeta", {"ζ"}},
      {"eta", {"η"}},
      {"theta", {"θ"}},
      {"vartheta", {"ϑ"}},
      {"iota", {"ι"}},
      {"kappa", {"κ"}},
      {"lambda", {"λ"}},
      {"mu", {"μ"}},
      {"nu", {"ν"}},
      {"xi", {"ξ"}},
      {"pi", {"π"}},
      {"rho", {"ρ"}},
      {"sigma", {"σ"}},
      {"tau", {"τ"}},
      {"upsilon", {"υ"}},
      {"phi", {"ϕ"}},
      {"varphi", {"φ"}},
      {"chi", {"χ"}},
      {"psi", {"ψ"}},
      {"omega", {"ω"}},
      {"Gamma", {"Γ"}},
      {"Delta", {"Δ"}},
      {"Theta", {"Θ"}},
      {"Lambda", {"Λ"}},
      {"Xi", {"Ξ"}},
      {"Pi", {"Π"}},
      {"Sigma", {"Σ"}},
      {"Upsilon", {"Υ"}},
      {"Phi", {"Φ"}},
      {"Psi", {"Ψ"}},
      {"Omega", {"Ω"}},
      {"infty", {"∞"}},
      {"ell", {"ℓ"}},
      {"partial", {"∂"}},
      {"nabla", {"∇"}},
      {"emptyset", {"∅"}},
      {"top", {"⊤"}},
      {"bot", {"⊥"}},
      {"forall", {"∀"}},
      {"exists", {"∃"}},
      {"neg", {"¬"}},
      {"prime", {"′"}},
      {"ldots", {"…"}},
      {"dots", {"…"}},
      {"cdots", {"⋯"}},
      {"vdots", {"⋮"}},
      {"ddots", {"⋱"}},
      {"%", {"%"}},
      {"#", {"#"}},
      {"&", {"&"}},
      {"$", {"$"}},
      {"_", {"_"}},
      {"cdot", {"⋅", kBinary}},
      {"times", {"×", kBinary}},
      {"div", {"÷", kBinary}},
      {"pm", {"±", kBinary}},
      {"mp", {"∓", kBinary}},
      {"ast", {"∗", kBinary}},
      {"circ", {"∘", kBinary}},
      {"odot", {"⊙", kBinary}},
      {"oplus", {"⊕", kBinary}},
      {"otimes", {"⊗", kBinary}},
      {"cup", {"∪", kBinary}},
      {"cap", {"∩", kBinary}},
      {"setminus", {"∖", kBinary}},
      {"land", {"∧", kBinary}},
      {"lor", {"∨", kBinary}},
      {"le", {"≤", kRelation}},
      {"leq", {"≤", kRelation}},
      {"ge", {"≥", kRelation}},
      {"geq", {"≥", kRelation}},
      {"ne", {"≠", kRelation}},
      {"neq", {"≠", kRelation}},
      {"ll", {"≪", kRelation}},
      {"gg", {"≫", kRelation}},
      {"approx", {"≈", kRelation}},
      {"sim", {"∼", kRelation}},
      {"simeq", {"≃", kRelation}},
      {"equiv", {"≡", kRelation}},
      {"propto", {"∝", kRelation}},
      {"in", {"∈", kRelation}},
      {"notin", {"∉", kRelation}},
      {"subset", {"⊂", kRelation}},
      {"subseteq", {"⊆", kRelation}},
      {"supset", {"⊃", kRelation}},
      {"supseteq", {"⊇", kRelation}},
      {"mid", {"∣", kRelation}},
      {"parallel", {"∥", kRelation}},
      {"perp", {"⊥", kRelation}},
      {"to", {"→", kRelation}},
      {"rightarrow", {"→", kRelation}},
      {"leftarrow", {"←", kRelation}},
      {"mapsto", {"↦", kRelation}},
      {"Rightarrow", {"⇒", kRelation}},
      {"implies", {"⟹", kRelation}},
      {"iff", {"⟺", kRelation}},
      {"{", {"{", kOpening}},
      {"}", {"}", kClosing}},
      {"lbrace", {"{", kOpening}},
      {"rbrace", {"}", kClosing}},
      {"langle", {"⟨", kOpening}},
      {"rangle", {"⟩", kClosing}},
      {"lfloor", {"⌊", kOpening}},
      {"rfloor", {"⌋", kClosing}},
      {"lceil", {"⌈", kOpening}},
      {"rceil", {"⌉", kClosing}},
      {"lvert", {"|", kOpening}},
      {"rvert", {"|", kClosing}},
      {"lVert", {"‖", kOpening}},
      {"rVert", {"‖", kClosing}},
      {"colon", {":", kPunctuation}},
      {"sin", {"sin", kFunction}},
      {"cos", {"cos", kFunction}},
      {"tan", {"tan", kFunction}},
      {"tanh", {"tanh", kFunction}},
      {"log", {"log", kFunction}},
      {"ln", {"ln", kFunction}},
      {"exp", {"exp", kFunction}},
      {"dim", {"dim", kFunction}},
      {"arg", {"arg", kFunction}},
      {"max", {"max", kLimits}},
      {"min", {"min", kLimits}},
      {"sup", {"sup", kLimits}},
      {"inf", {"inf", kLimits}},
      {"lim", {"lim", kLimits}},
      {"det", {"det", kLimits}},
      {"Pr", {"Pr", kLimits}},
      {"argmax", {"arg\u2009max", kLimits}},
      {"argmin", {"arg\u2009min", kLimits}},
      {"sum", {"∑", kLimits}},
      {"prod", {"∏", kLimits}},
      {"bigcup", {"⋃", kLimits}},
      {"bigcap", {"⋂", kLimits}},
      {"int", {"∫", kIntegral}},
      {"iint", {"∬", kIntegral}},
      {"oint", {"∮", kIntegral}},
  };
  return kSymbols;
}

// Widths of spaces, in em.
inline const std::map<std::string_view, std::string_view>& formula_spaces() {
  static const std::map<std::string_view, std::string_view> kSpaces = {
      {",", "0.1667em"}, {":", "0.2222em"}, {";", "0.2778em"}, {"!", "-0.1667em"},
      {" ", "0.25em"},   {"quad", "1em"},   {"qquad", "2em"},  {"thinspace", "0.1667em"},
  };
  return kSpaces;
}

// What a command puts above its argument.
inline const std::map<std::string_view, std::string_view>& formula_accents() {
  static const std::map<std::string_view, std::string_view> kAccents = {
      {"hat", "^"},   {"widehat", "^"}, {"bar", "¯"}, {"overline", "¯"},
      {"tilde", "˜"}, {"vec", "→"},     {"dot", "˙"}, {"ddot", "¨"},
  };
  return kAccents;
}

}  // namespace headway
