#include "lib/addition/findings/carry_looking.h"

#include <fmt/format.h>

#include "lib/base/text.h"
#include "lib/report/escape.h"
#include "lib/report/phrases.h"

namespace headway {
namespace {

std::string where_heads_look(const CarryStudy& study) {
  const bool encoder = count_in(study.looking(), "encoder") > 0;
  const bool cross = count_in(study.looking(), "decoder-cross") > 0;
  if (encoder && cross) {
    return "So heads look there in both places: in the encoder, before the answer is begun, and in "
           "cross-attention, while it is written.";
  }
  if (cross) {
    return "So heads look there in cross-attention, while the answer is written; in the encoder "
           "none does so more than evenly.";
  }
  if (encoder) {
    return "So heads look there in the encoder, before the answer is begun; in cross-attention "
           "none does so more than evenly.";
  }
  return "So no single head is turned to that column: a model that adds has to get the carry from "
         "heads that look elsewhere too, or in several steps.";
}

// "3 of 8 heads in cross-attention, Decoder Cross L0 H0 with 37.6 %, … (mean 23.4 %)"
std::string looking_in(const CarryStudy& study, const std::string& module) {
  std::vector<std::string> names;
  double sum = 0;
  std::size_t count = 0;
  for (const CarryHead* head : study.able()) {
    if (head->look.module != module) continue;
    const double share = head->look.at("carry");
    ++count;
    sum += share;
    if (head->looks)
      names.push_back(fmt::format("{} with {}", carry_head_name(*head), percent_text(share)));
  }
  if (count == 0) return "";
  return fmt::format(
      "{} in {}{} (mean {})",
      names.empty() ? "none of " + counted(count, "head") : n_of_m(names.size(), count, "heads"),
      module_text(module), names.empty() ? "" : ", " + enumerated(names, 6),
      percent_text(sum / static_cast<double>(count)));
}

std::string tell_able(const CarryStudy& study) {
  const std::size_t able = study.able().size(), blind = study.heads.size() - able;
  if (able == 0) {
    return study.digits == 1 ? "Numbers of one digit have no such column."
                             : "For no head is it known how much it looks there.";
  }
  const std::string cannot =
      blind == 0 ? ""
                 : fmt::format(
                       " The other {} cannot: decoder self-attention sees only what has been said "
                       "so far.",
                       count_text(blind));
  std::vector<std::string> places = {looking_in(study, "encoder"),
                                     looking_in(study, "decoder-cross")};
  std::erase(places, "");
  return fmt::format(
      "{} can look there.{} Attention spread evenly over the input would give that column {}. "
      "Heads that give it more: {}. {}",
      n_of_m(able, study.heads.size(), "heads"), cannot, percent_text(study.even()),
      join(places, "; "), where_heads_look(study));
}

std::string tell_leading(const CarryStudy& study) {
  if (!study.has_leading) {
    return "In this table the leading digit of the sum is counted with the others, though it has "
           "no column of its own.";
  }
  std::vector<std::string> names;
  for (const CarryHead* head : study.leading()) {
    names.push_back(fmt::format("{} with {} ({})", carry_head_name(*head),
                                percent_text(head->look.at("leading")),
                                carry_drops_text(study, *head)));
  }
  return fmt::format(
      "The leading digit of the sum is not counted there: it has no column of its own, and is "
      "nothing but what the leftmost column carries. When it is written, {}.",
      names.empty()
          ? "no head gives that column more weight than even attention would"
          : fmt::format("{} that column more weight than even attention would: {}",
                        counted(names.size(), "head gives", "heads give"), enumerated(names, 6)));
}

}  // namespace

std::string carry_head_name(const CarryHead& head) {
  return markdown_escaped(head.look.label);
}

std::string carry_drops_text(const CarryStudy& study, const CarryHead& head) {
  std::vector<std::string> drops;
  for (std::size_t way = 0; way < head.drops.size(); ++way) {
    const std::string points = points_text(head.drops[way].drop);
    const std::string& name = study.ablations[way].way;
    drops.push_back(name.empty() ? points
                                 : fmt::format("{} by {}", points, markdown_escaped(name)));
  }
  return enumerated(drops) + (study.ablations.back().way.empty() ? "" : " ablation");
}

std::string carry_paragraph(std::vector<std::string> sentences) {
  std::erase(sentences, "");
  return join(sentences, " ");
}

std::string tell_carry_looking(const CarryStudy& study) {
  return carry_paragraph(
      {"**Where heads look for the carry.** What is carried into a column is "
       "decided in the column to its right.",
       tell_able(study), tell_leading(study)});
}

}  // namespace headway
