#include "lib/run/run_prefix.h"

#include <fmt/format.h>

#include <algorithm>

#include "lib/base/error.h"
#include "lib/base/json.h"
#include "lib/run/facts.h"

namespace headway {
namespace {

std::optional<std::int64_t> number_in(const std::vector<Fact>& facts, const std::string& name) {
  for (const Fact& fact : facts) {
    if (fact.name != name) continue;
    const std::optional<Json> value = parse_json(fact.value);
    if (value && value->is_number_integer()) return value->get<std::int64_t>();
  }
  return std::nullopt;
}

}  // namespace

std::optional<RunPrefix> run_prefix_of(const StageType& type, const std::vector<Fact>& facts) {
  if (!type.prefix_params) return std::nullopt;
  const std::string amount_name = fact_name(FactKind::kParam, type.prefix_params->amount);
  const std::string whole_name = fact_name(FactKind::kParam, type.prefix_params->whole);
  const std::optional<std::int64_t> amount = number_in(facts, amount_name);
  if (!amount) return std::nullopt;
  const std::int64_t declared = number_in(facts, whole_name).value_or(0);
  const std::int64_t whole = declared == 0 ? *amount : declared;
  std::string text = fmt::format("headway family 1\n{}\n", whole);
  for (const Fact& fact : facts) {
    if (fact.name == amount_name || fact.name == whole_name) continue;
    append_field(text, fact.name);
    append_field(text, fact.value);
  }
  return RunPrefix{digest_of(text), *amount, whole};
}

void PrefixStates::keep(const std::string& stage, const RunPrefix& prefix, const Digest& key,
                        const Path& state) {
  try {
    const std::optional<ContentInfo> content = store_.digests().rehash_file(state);
    if (!content || content->size == 0) return;
    const Path family = store_.layout().continuations(prefix.family);
    files_.make_directories(family);
    for (const std::string& old : files_.list(family)) {  // left by an earlier run of this key
      const auto name = ContinuationName::parse(old);
      if (name && name->key == key) files_.remove(family / old);
    }
    const ContinuationName name{prefix.amount, key, content->digest};
    files_.rename(state, family / name.text());
  } catch (const Error& error) {
    observer_.warning(
        fmt::format("longer runs cannot continue from stage '{}': {}", stage, error.what()));
  }
}

std::int64_t PrefixStates::copy_longest(const std::string& stage, const RunPrefix& prefix,
                                        const Path& state) {
  try {
    const Path family = store_.layout().continuations(prefix.family);
    std::vector<ContinuationName> shorter;
    for (const std::string& entry : files_.list(family)) {
      const auto name = ContinuationName::parse(entry);
      if (name && name->amount < prefix.amount) shorter.push_back(*name);
    }
    std::ranges::sort(shorter, std::ranges::greater(), &ContinuationName::amount);
    for (const ContinuationName& name : shorter) {
      if (copy(family / name.text(), name, state)) return name.amount;
    }
  } catch (const Error& error) {
    observer_.warning(fmt::format("stage '{}' starts from nothing, not from a shorter run: {}",
                                  stage, error.what()));
  }
  return 0;
}

// Copies to a temporary name, checks, then renames: the state is complete or absent.
bool PrefixStates::copy(const Path& from, const ContinuationName& name, const Path& state) {
  const Path beside = work_ / ("continuation-" + state.filename().string());
  try {
    files_.remove(beside);
    copy_tree(files_, from, beside);
    const std::optional<ContentInfo> content = store_.digests().rehash_file(beside);
    if (!content || content->digest != name.contents) {
      observer_.warning(
          fmt::format("{} is damaged and removed; nothing continues from it", from.string()));
      files_.remove(beside);
      files_.remove(from);
      return false;
    }
    files_.rename(beside, state);
    return true;
  } catch (const Error&) {
    files_.remove(beside);  // frees the space: the disk may be full
    throw;
  }
}

}  // namespace headway
