// Datasets that other programs wrote, as JSON, JSON Lines or CSV. The first line has options: the
// format, the tokens of texts, what is done with overlap, and `g` or `p` for a field that is a
// group or a pair's key. Then comes one file, or three between lines of "====".
#include "lib/base/text.h"
#include "lib/data/dataset_summary.h"
#include "lib/data/import/import_dataset.h"
#include "tests/fuzz/fuzz.h"

using namespace headway;

namespace {

constexpr const char* kSplits[] = {"train", "val", "test"};

ImportFile file_of(const std::string& name, ImportFormat format, const std::string& split,
                   const std::string& text) {
  return {name, format, split, [text] { return text; }};
}

}  // namespace

FUZZ_TARGET(import) {
  const std::size_t end = std::min(input.find('\n'), input.size());
  ImportFormat format = ImportFormat::kJson;
  ImportOptions options;
  for (const std::string& word : split(input.substr(0, end), ' ')) {
    format = value_of<ImportFormat>(word).value_or(format);
    options.tokens = value_of<TextTokens>(word).value_or(options.tokens);
    options.overlap = value_of<Overlap>(word).value_or(options.overlap);
    if (word == "g") options.groups = {"g"};
    if (word == "p") options.pairs = {"p"};
  }
  const std::vector<std::string> parts =
      fuzz::parts_of(input.substr(std::min(end + 1, input.size())), 3);
  std::vector<ImportFile> files;
  if (parts[1].empty()) {
    files.push_back(file_of("a", format, "", parts[0]));
  } else {
    for (std::size_t i = 0; i < parts.size(); ++i)
      files.push_back(file_of(kSplits[i], format, kSplits[i], parts[i]));
  }
  fuzz::accepts({"a:", "train:", "val:", "test:"}, [&] {
    const Dataset dataset = import_dataset(files, options).data;
    fuzz::require(dataset_from(to_tensor_file(dataset), "again") == dataset,
                  "an imported dataset can be read");
    summarize(dataset);
  });
}
