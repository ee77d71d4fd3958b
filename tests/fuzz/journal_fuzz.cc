// The store's journals. They may contain any bytes: invalid lines are skipped, and what is added
// afterwards is found.
#include "lib/store/digest_cache.h"
#include "lib/store/pipeline_state.h"
#include "tests/fuzz/fuzz.h"
#include "tests/support/memory_file_system.h"

using namespace headway;

namespace {

const Layout kLayout("/outputs");
const Digest kKey = digest_of("a key");

// As it is, and line by line as if it had been written by us.
testing::MemoryFileSystem& with_journal(testing::MemoryFileSystem& files, const Path& path,
                                        std::string_view bytes, bool is_ours) {
  files.make_directories(path.parent_path());
  if (!is_ours) {
    files.put(path, bytes);
    return files;
  }
  Journal journal(files, path);
  for (const std::string& line : fuzz::lines_of(bytes)) journal.append(line);
  return files;
}

void check_damage(const std::string& damage) {
  if (!damage.empty()) fuzz::check_message(damage, {""});
}

void read_state(testing::MemoryFileSystem& files) {
  StageState noted;
  noted.key = noted.good_key = kKey;
  noted.message = "tab\t, line\n, backslash\\";
  {
    PipelineState state(files, kLayout, "p", "");
    check_damage(state.damage());
    for (const auto& [name, last] : state.all()) fuzz::require(last != nullptr, "a state is there");
    state.note_file("/p.yaml");
    state.note("noted", noted);
  }
  const PipelineState again(files, kLayout, "p", "");
  const LastState found = again.find("noted");
  fuzz::require(found && found->key == kKey && found->message == noted.message,
                "what is noted behind any bytes is found");
  fuzz::require(again.file() == "/p.yaml", "the file is found behind any bytes");
}

void read_digests(testing::MemoryFileSystem& files) {
  files.put("/data", "contents");
  files.advance(10);
  DigestCache memory(files, kLayout.digests());
  check_damage(memory.damage());
  fuzz::require(memory.digest_file("/data")->digest == digest_of("contents"),
                "a digest is that of the contents");
}

}  // namespace

FUZZ_TARGET(journal) {
  for (const bool is_ours : {false, true}) {
    testing::MemoryFileSystem states, digests;
    read_state(with_journal(states, kLayout.state("p", ""), input, is_ours));
    read_digests(with_journal(digests, kLayout.digests(), input, is_ours));
  }
}
