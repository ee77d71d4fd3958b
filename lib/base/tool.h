// A program of the machine's (gnuplot, dot), run in a scratch folder of its own: files in, files
// out. Its exit code is not believed: such programs do not notice a full disk. Knows nothing of
// what it draws.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "lib/base/process.h"

namespace headway {

struct ToolOutput {
  std::string name;
  // What is wrong with the file's contents; "" where it is whole.
  std::string (*problem)(std::string_view bytes);
};

struct ToolSpec {
  std::string program;  // looked for in PATH
  std::string package;  // Debian's, for who lacks it
  Path folder;          // where it may write; its scratch folder is made there, and is its TMPDIR
  std::vector<std::string> arguments;
  std::vector<std::pair<std::string, std::string>> files;  // name and contents
  std::vector<ToolOutput> outputs;                         // files that it writes
  double time_limit = 60;                                  // seconds
};

struct ToolResult {
  ProcessExit exit;
  std::string said;                  // on both of its streams
  std::vector<std::string> outputs;  // contents, in the order asked for; none where it failed
};

// Throws Error where the program is not installed or does not end in time, where the folder's disk
// is full afterwards, and where it says that it succeeded but an output is missing or not whole.
// That it says that it failed is in the result.
ToolResult run_tool(const ToolSpec& tool);

}  // namespace headway
