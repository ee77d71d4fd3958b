#include "tests/data/importing.h"

#include "lib/base/error.h"

namespace headway::testing {

ImportFile text_file(const std::string& name, const std::string& text, const std::string& split) {
  return {name, format_of(name).value(), split, [text] { return text; }};
}

ImportedDataset import_text(const std::string& text, const ImportOptions& options,
                            const std::string& name) {
  return import_dataset({text_file(name, text)}, options);
}

Dataset imported(const std::string& text, ImportOptions options, const std::string& name) {
  options.overlap = Overlap::kReport;
  return import_text(text, options, name).data;
}

std::string mistake_in(const std::vector<ImportFile>& files, const ImportOptions& options) {
  try {
    import_dataset(files, options);
  } catch (const Error& error) {
    return error.what();
  }
  return "accepted";
}

std::string mistake_in(const std::string& text, const ImportOptions& options,
                       const std::string& name) {
  return mistake_in({text_file(name, text)}, options);
}

ImportOptions with_characters() {
  ImportOptions options;
  options.tokens = TextTokens::kCharacters;
  return options;
}

ImportOptions with_words() {
  ImportOptions options;
  options.tokens = TextTokens::kWords;
  return options;
}

std::vector<std::string> texts_in(const Dataset& data, const std::string& split) {
  std::vector<std::string> texts;
  const Split& samples = data.split(split);
  for (std::int64_t i = 0; i < samples.size(); ++i) texts.push_back(sample_text(samples, i));
  return texts;
}

}  // namespace headway::testing
