// Reads C++ sources as text: what they include, and the words in their identifiers and string
// literals.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace headway::layers {

struct SourceFile {
  std::string path;  // from the root: "lib/run/graph.h"
  std::string text;
};

// All .h and .cc files below these folders of the root.
std::vector<SourceFile> source_files(const std::filesystem::path& root,
                                     const std::vector<std::string>& folders);

struct Include {
  std::string header;  // "lib/spec/pipeline_spec.h" or "fmt/format.h"
  bool is_quoted = false;
};
std::vector<Include> includes_of(std::string_view text);

// An identifier, or the contents of a string literal. Comments and preprocessor lines have none.
struct Token {
  int line = 0;
  std::string text;
  bool is_literal = false;
};
std::vector<Token> tokens_of(std::string_view text);

// The words of an identifier or of a text, in lower case: "TrialTracker" and "trial_tracker" are
// trial, tracker.
std::vector<std::string> words_of(std::string_view text);

// Whether the words of `phrase` ("train-seq2seq", "sweep") follow each other in the text. The last
// may be inflected: "sweeps", "sweeping".
bool mentions(std::string_view text, std::string_view phrase);

}  // namespace headway::layers
