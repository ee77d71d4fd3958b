// Runs a program such as gnuplot or dot in a temporary folder: files in, files out. Its outputs are
// checked, because such programs do not notice a full disk. Knows nothing of what it draws.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "lib/base/process.h"

namespace headway {

struct ToolOutput {
  std::string name;
  // What is wrong with the file's contents; "" if nothing is.
  std::string (*problem)(std::string_view bytes);
};

struct ToolSpec {
  std::string program;  // looked up in PATH
  std::string package;  // the Debian package that has it, for the error message
  Path folder;          // the temporary folder is made here; it is the program's TMPDIR
  std::vector<std::string> arguments;
  std::vector<std::pair<std::string, std::string>> files;  // to read: name and contents
  std::vector<ToolOutput> outputs;                         // to write
  double time_limit = 60;                                  // seconds
};

struct ToolResult {
  ProcessExit exit;
  std::string said;                  // what it printed on stdout and stderr
  std::vector<std::string> outputs;  // contents, in the order of ToolSpec; none if it failed
};

// A program that fails is a result. Throws Error if the program is not installed or does not end in
// time, if the disk is full afterwards, or if it exits with 0 but an output is missing or damaged.
ToolResult run_tool(const ToolSpec& tool);

}  // namespace headway
