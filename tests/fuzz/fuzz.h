// Shared by fuzz targets. A target feeds one input to one parser and checks the rules: only an
// Error comes out, its message is fit for a terminal and says where the mistake is, and what was
// parsed survives being written and parsed again. If a rule is broken, the program aborts, which
// libFuzzer and the corpus tests both notice.
#pragma once

#include <initializer_list>
#include <string>
#include <string_view>
#include <vector>

#include "lib/base/error.h"

namespace headway::fuzz {

using Run = void (*)(std::string_view input);

struct Target {
  Target(const char* name, Run run);
};

// Null if there is none of that name.
Run find_target(std::string_view name);
std::vector<std::string> target_names();

// Prints what is wrong and aborts.
[[noreturn]] void fail(std::string_view rule, std::string_view what);
void require(bool holds, std::string_view rule, std::string_view what = "");

// Every line of the message is text for a terminal and begins with one of the places: a file, an
// option, a field.
void check_message(std::string_view message, std::initializer_list<std::string_view> places);

// Reads the input; the Error of one that is refused must be located. Whether it was accepted.
template <class Read>
bool accepts(std::initializer_list<std::string_view> places, const Read& read) {
  try {
    read();
    return true;
  } catch (const Error& error) {
    check_message(error.what(), places);
    return false;
  }
}

// The parts of an input between lines of "====": `count` of them, the last ones empty where there
// are fewer.
std::vector<std::string> parts_of(std::string_view input, std::size_t count);

// The lines that are not empty.
std::vector<std::string> lines_of(std::string_view text);

}  // namespace headway::fuzz

#define FUZZ_TARGET(name)                                                  \
  static void fuzz_##name(std::string_view input);                         \
  static const ::headway::fuzz::Target kTarget_##name(#name, fuzz_##name); \
  static void fuzz_##name(std::string_view input)
