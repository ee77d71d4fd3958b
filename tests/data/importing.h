// Imports of texts, for tests.
#pragma once

#include <string>
#include <vector>

#include "lib/data/import/import_dataset.h"

namespace headway::testing {

// A file of this name and contents; its format is that of its name.
ImportFile text_file(const std::string& name, const std::string& text,
                     const std::string& split = "");

ImportedDataset import_text(const std::string& text, const ImportOptions& options = {},
                            const std::string& name = "d.json");
// The same, where overlap is kept.
Dataset imported(const std::string& text, ImportOptions options = {},
                 const std::string& name = "d.json");

// What is wrong with the files; "accepted" if nothing is.
std::string mistake_in(const std::vector<ImportFile>& files, const ImportOptions& options = {});
std::string mistake_in(const std::string& text, const ImportOptions& options = {},
                       const std::string& name = "d.json");

ImportOptions with_characters();
ImportOptions with_words();

// The samples of a split as texts.
std::vector<std::string> texts_in(const Dataset& data, const std::string& split);

}  // namespace headway::testing
