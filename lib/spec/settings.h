// Settings of one value: integers, times, sizes and words, as stages and the site file have them.
#pragma once

#include <fmt/format.h>

#include <cstdint>
#include <optional>
#include <string>

#include "lib/base/value.h"
#include "lib/stage/resources.h"

namespace headway {

// Reads settings. A value that is not what its key expects is a mistake, introduced by `subject`
// ("stage 'train'"), and reads as nothing.
class SettingReader {
 public:
  SettingReader(std::string subject, Diagnostics& diagnostics)
      : subject_(std::move(subject)), diagnostics_(diagnostics) {}

  std::optional<int> integer(const Value& value, const char* key, int low, int high) const;
  std::optional<double> time(const Value& value, const char* key) const;         // seconds, above 0
  std::optional<std::uint64_t> size(const Value& value, const char* key) const;  // bytes
  std::optional<bool> boolean(const Value& value, const char* key) const;
  std::optional<std::string> line(const Value& value, const char* key) const;  // of text
  std::optional<std::string> lines(const Value& value, const char* key) const;

  // Adds a mistake.
  template <class... Values>
  void complain(const SourceLocation& location, fmt::format_string<Values...> format,
                Values&&... values) const {
    diagnostics_.add(location, "{}: {}", subject_,
                     fmt::format(format, std::forward<Values>(values)...));
  }

 private:
  template <class T>
  std::optional<T> checked(const Value& value, const char* key, const std::string& expected,
                           std::optional<T> read) const;

  const std::string subject_;
  Diagnostics& diagnostics_;
};

// Resources, of which some may not be given.
struct GivenResources {
  std::optional<int> cpus;
  std::optional<std::uint64_t> memory;
  std::optional<double> time;
  std::optional<int> gpus;

  // These where they are given, and those of `others` where not.
  Resources over(Resources others) const;
};

// The keys cpus, memory, time and gpus of a map; others are not looked at.
GivenResources read_resources(const Value& map, const SettingReader& reader);

}  // namespace headway
