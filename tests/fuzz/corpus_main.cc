// Feeds every file of a corpus to its target, without libFuzzer:
// `fuzz_tests TARGET FILE-OR-FOLDER…`. Its last line on stderr names the file at which it aborted.
#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iterator>

#include "tests/fuzz/fuzz.h"

namespace {

std::vector<std::filesystem::path> files_in(const std::filesystem::path& path) {
  if (!std::filesystem::is_directory(path)) return {path};
  std::vector<std::filesystem::path> files;
  for (const auto& entry : std::filesystem::directory_iterator(path)) files.push_back(entry.path());
  std::sort(files.begin(), files.end());
  return files;
}

}  // namespace

int main(int count, char** arguments) {
  const headway::fuzz::Run run = count > 2 ? headway::fuzz::find_target(arguments[1]) : nullptr;
  if (!run) {
    std::fprintf(stderr, "usage: fuzz_tests TARGET FILE-OR-FOLDER...\n");
    return 2;
  }
  int inputs = 0;
  for (int i = 2; i < count; ++i) {
    for (const std::filesystem::path& file : files_in(arguments[i])) {
      std::fprintf(stderr, "%s\n", file.c_str());
      std::ifstream stream(file, std::ios::binary);
      run(std::string(std::istreambuf_iterator<char>(stream), {}));
      ++inputs;
    }
  }
  std::printf("%s: %d inputs\n", arguments[1], inputs);
  return inputs > 0 ? 0 : 1;
}
