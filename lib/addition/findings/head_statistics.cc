#include "lib/addition/findings/head_statistics.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "lib/addition/findings/carry_study.h"
#include "lib/report/escape.h"
#include "lib/report/phrases.h"

namespace headway {
namespace {

struct LookKind {
  std::string statistic;
  std::string what;           // of the table
  bool is_share = false;      // of the weight; else a measure of how it is spread
  bool is_of_digits = false;  // of many digits; not of the leading one alone
};

const std::vector<LookKind>& look_kinds() {
  static const std::vector<LookKind> kKinds = {
      {"diagonal", "its own position (diagonal)", true, true},
      {"previous", "the position before (previous)", true, true},
      {"operator", "the + (operator)", true, true},
      {"column", "the digits of its column (column)", true, true},
      {"carry", "the column to the right, where the carry comes from (carry)", true, true},
      {"leading", "the leftmost column, for the leading digit alone (leading)", true, false},
      {"sparsity", "few positions (sparsity: 1 is one, 0 is all alike)", false, false},
      {"entropy", "all positions alike (entropy: 1 is even, 0 is one)", false, false}};
  return kKinds;
}

std::vector<const HeadLook*> heads_with(const std::vector<HeadLook>& looks,
                                        const std::string& statistic) {
  std::vector<const HeadLook*> heads;
  for (const HeadLook& look : looks)
    if (std::isfinite(look.at(statistic))) heads.push_back(&look);
  return heads;
}

const HeadLook& strongest_of(const std::vector<const HeadLook*>& heads,
                             const std::string& statistic) {
  return **std::max_element(heads.begin(), heads.end(), [&](const HeadLook* a, const HeadLook* b) {
    return a->at(statistic) < b->at(statistic);
  });
}

std::string look_value(const LookKind& kind, double value) {
  return kind.is_share ? percent_text(value) : decimal_text(value);
}

std::string strongest_table(const std::vector<HeadLook>& looks) {
  std::string table =
      "| looks most at | head | value | mean of the heads that can | of heads |\n"
      "| --- | --- | ---: | ---: | ---: |\n";
  for (const LookKind& kind : look_kinds()) {
    const auto heads = heads_with(looks, kind.statistic);
    if (heads.empty()) continue;
    const HeadLook& strongest = strongest_of(heads, kind.statistic);
    double sum = 0;
    for (const HeadLook* head : heads) sum += head->at(kind.statistic);
    table += fmt::format(
        "| {} | {} | {} | {} | {} |\n", kind.what, markdown_escaped(strongest.label),
        look_value(kind, strongest.at(kind.statistic)),
        look_value(kind, sum / static_cast<double>(heads.size())), count_text(heads.size()));
  }
  return table;
}

// What each head gives more than half of its weight to.
std::string tell_specialised(const std::vector<HeadLook>& looks) {
  std::vector<std::string> parts;
  std::vector<std::string> specialised;
  for (const LookKind& kind : look_kinds()) {
    if (!kind.is_of_digits) continue;
    std::vector<std::string> heads;
    for (const HeadLook* head : heads_with(looks, kind.statistic)) {
      if (head->at(kind.statistic) <= 0.5) continue;
      heads.push_back(markdown_escaped(head->label));
      if (std::find(specialised.begin(), specialised.end(), head->label) == specialised.end())
        specialised.push_back(head->label);
    }
    if (!heads.empty()) parts.push_back(fmt::format("{}: {}", kind.what, enumerated(heads, 8)));
  }
  if (parts.empty())
    return "No head gives, on average, more than half of its weight to any one of these places.";
  std::string text = fmt::format("{} on average more than half of {} weight to one of these places",
                                 n_of_m(specialised.size(), looks.size(),
                                        specialised.size() == 1 ? "heads gives" : "heads give"),
                                 specialised.size() == 1 ? "its" : "their");
  for (std::size_t i = 0; i < parts.size(); ++i) text += (i == 0 ? " – " : "; ") + parts[i];
  return text + ".";
}

std::string tell_more_than_even(const std::vector<HeadLook>& looks, int digits) {
  std::vector<std::string> parts;
  struct Place {
    std::string statistic;
    std::string even;  // the statistic that counts as many digits
    std::string where;
  };
  for (const Place& place : {Place{"column", "column", "to the digits of their column"},
                             Place{"carry", "carry", "to the column to the right"},
                             Place{"leading", "carry",
                                   "to the leftmost column when the leading "
                                   "digit is written"}}) {
    const auto heads = heads_with(looks, place.statistic);
    if (heads.empty()) continue;
    const auto more = std::count_if(heads.begin(), heads.end(), [&](const HeadLook* head) {
      return head->at(place.statistic) > even_share(place.even, head->module, digits);
    });
    parts.push_back(fmt::format(
        "in {} {}", n_of_m(static_cast<std::size_t>(more), heads.size(), "heads"), place.where));
  }
  if (parts.empty()) return "";
  return fmt::format("More weight than even attention would give goes {}.", enumerated(parts));
}

struct CarryContrast {
  const HeadLook* head = nullptr;
  double more = 0;  // weight where the column carries, less that where it does not
};

std::string contrast_text(const CarryContrast& contrast) {
  return fmt::format("{} ({} where that column carries, {} where it does not)",
                     markdown_escaped(contrast.head->label),
                     percent_text(contrast.head->at("carry_with")),
                     percent_text(contrast.head->at("carry_without")));
}

std::string tell_carry_contrast(const std::vector<HeadLook>& looks) {
  constexpr double kNotable = 0.05;
  std::vector<CarryContrast> contrasts;
  for (const HeadLook& look : looks) {
    const double more = look.at("carry_with") - look.at("carry_without");
    if (std::isfinite(more)) contrasts.push_back({&look, more});
  }
  if (contrasts.empty()) return "";
  std::stable_sort(contrasts.begin(), contrasts.end(),
                   [](const CarryContrast& a, const CarryContrast& b) { return a.more > b.more; });
  const auto count_where = [&](auto holds) {
    return static_cast<std::size_t>(std::count_if(contrasts.begin(), contrasts.end(), holds));
  };
  const std::size_t more = count_where([](const CarryContrast& c) { return c.more > kNotable; });
  const std::size_t less = count_where([](const CarryContrast& c) { return c.more < -kNotable; });
  std::string text = fmt::format(
      "Of {} that can look at the column to the right, {} it over 5 points more weight where it "
      "carries, and {} it over 5 points less.",
      counted(contrasts.size(), "head"), more == 0 ? "none gives" : counted(more, "gives", "give"),
      less == 0 ? "none gives" : counted(less, "gives", "give"));
  if (more > 0)
    text += fmt::format(" The largest rise is that of {}.", contrast_text(contrasts.front()));
  if (less > 0)
    text += fmt::format(" The largest fall is that of {}.", contrast_text(contrasts.back()));
  return text;
}

}  // namespace

std::string tell_head_statistics(const Sources& sources) {
  const std::vector<HeadLook> looks = read_carry_looks(sources, "statistics");
  std::vector<std::string> sentences = {tell_specialised(looks)};
  if (sources.has("data"))
    sentences.push_back(tell_more_than_even(looks, digits_of_data(sources, "data")));
  sentences.push_back(tell_carry_contrast(looks));
  std::erase(sentences, "");
  return strongest_table(looks) + "\n" + bullets(sentences);
}

}  // namespace headway
