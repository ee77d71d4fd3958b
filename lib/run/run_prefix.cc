#include "lib/run/run_prefix.h"

#include <fmt/format.h>

#include <algorithm>

#include "lib/base/error.h"
#include "lib/base/json.h"
#include "lib/run/facts.h"
#include "lib/worker/state_numerics.h"

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

// The states that runs of this family left, the longest run first.
std::vector<PrefixStateName> names_in(FileSystem& files, const Path& family) {
  std::vector<PrefixStateName> names;
  for (const std::string& entry : files.list(family)) {
    if (const auto name = PrefixStateName::parse(entry)) names.push_back(*name);
  }
  std::ranges::sort(names, std::ranges::greater(), &PrefixStateName::amount);
  return names;
}

// A state that is kept has its note inside, where its digest covers it.
void move_if_any(FileSystem& files, const Path& from, const Path& to) {
  if (files.exists(from)) files.rename(from, to);
}

// Copies to the temporary name `beside`, checks, then renames: the state is complete or absent.
// Returns false, and removes the original, if it is damaged.
bool copy_checked(Store& store, const Path& from, const Digest& contents, const Path& beside,
                  const Path& state) {
  FileSystem& files = store.files();
  try {
    files.remove(beside);
    copy_tree(files, from, beside);
    const std::optional<ContentInfo> content = store.digests().rehash_file(beside);
    if (content && content->digest == contents) {
      move_if_any(files, beside / StateNumerics::kFile, StateNumerics::note_of(state));
      files.rename(beside, state);
      return true;
    }
    files.remove(beside);
    files.remove(from);
    return false;
  } catch (const Error&) {
    files.remove(beside);  // frees the space: the disk may be full
    throw;
  }
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

void keep_prefix_state(Store& store, Observer& observer, const std::string& stage,
                       const RunPrefix& prefix, const Digest& key, const Path& state) {
  FileSystem& files = store.files();
  try {
    if (!files.exists(state)) return;
    move_if_any(files, StateNumerics::note_of(state), state / StateNumerics::kFile);
    const std::optional<ContentInfo> content = store.digests().rehash_file(state);
    // A state that says only what it was computed with is none.
    const std::size_t numerics = files.read(state / StateNumerics::kFile).value_or("").size();
    if (!content || content->size == numerics) return;
    const Path family = store.layout().prefix_states(prefix.family);
    files.make_directories(family);
    for (const PrefixStateName& old : names_in(files, family)) {
      if (old.key == key) files.remove(family / old.text());  // left by an earlier run of this key
    }
    const PrefixStateName name{prefix.amount, key, content->digest};
    files.rename(state, family / name.text());
  } catch (const Error& error) {
    observer.warning(
        fmt::format("longer runs cannot continue from stage '{}': {}", stage, error.what()));
  }
}

std::int64_t copy_prefix_state(Store& store, Observer& observer, const std::string& stage,
                               const RunPrefix& prefix, const Path& state, const Path& work) {
  try {
    const Path family = store.layout().prefix_states(prefix.family);
    for (const PrefixStateName& name : names_in(store.files(), family)) {
      if (name.amount >= prefix.amount) continue;
      const Path from = family / name.text();
      const Path beside = work / ("prefix-state-" + state.filename().string());
      if (copy_checked(store, from, name.contents, beside, state)) return name.amount;
      observer.warning(
          fmt::format("{} is damaged and removed; nothing continues from it", from.string()));
    }
  } catch (const Error& error) {
    observer.warning(fmt::format("stage '{}' starts from nothing, not from a shorter run: {}",
                                 stage, error.what()));
  }
  return 0;
}

}  // namespace headway
