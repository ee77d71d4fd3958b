#include "lib/spec/settings.h"

#include <fmt/format.h>

#include "lib/base/text.h"

namespace headway {

template <class T>
std::optional<T> SettingReader::checked(const Value& value, const char* key,
                                        const std::string& expected, std::optional<T> read) const {
  if (!read) complain(value.location, "'{}' expects {}, got {}", key, expected, value.describe());
  return read;
}

std::optional<int> SettingReader::integer(const Value& value, const char* key, int low,
                                          int high) const {
  const std::int64_t* given = value.integer();
  const bool fits = given && *given >= low && *given <= high;
  return checked(value, key, fmt::format("an integer between {} and {}", low, high),
                 fits ? std::optional(static_cast<int>(*given)) : std::nullopt);
}

std::optional<double> SettingReader::time(const Value& value, const char* key) const {
  const auto seconds = value.is_scalar() ? parse_duration(value.plain()) : std::nullopt;
  return checked(value, key, "a time such as 30s, 5m or 1h30m",
                 seconds && *seconds > 0 ? seconds : std::nullopt);
}

std::optional<std::uint64_t> SettingReader::size(const Value& value, const char* key) const {
  return checked(value, key, "a size such as 512MiB or 2GB",
                 value.is_scalar() ? parse_bytes(value.plain()) : std::nullopt);
}

std::optional<bool> SettingReader::boolean(const Value& value, const char* key) const {
  return checked(value, key, "true or false",
                 value.boolean() ? std::optional(*value.boolean()) : std::nullopt);
}

std::optional<std::string> SettingReader::line(const Value& value, const char* key) const {
  const std::optional<std::string> text = lines(value, key);
  if (!text || printable(*text) == *text) return text;
  complain(value.location, "'{}' expects one line of text", key);
  return std::nullopt;
}

std::optional<std::string> SettingReader::lines(const Value& value, const char* key) const {
  const std::string* text = value.text();
  if (text && printable_lines(*text) == *text) return *text;
  if (text) {
    complain(value.location, "'{}' has a control character", key);
  } else {
    const bool quotable = value.is_scalar() && !value.is_null();
    complain(value.location, "'{}' expects text, got {}{}", key, value.describe(),
             quotable ? "; put it in quotes" : "");
  }
  return std::nullopt;
}

Resources GivenResources::over(Resources others) const {
  return {cpus.value_or(others.cpus), memory.value_or(others.memory), time.value_or(others.time),
          gpus.value_or(others.gpus)};
}

GivenResources read_resources(const Value& map, const SettingReader& reader) {
  GivenResources given;
  if (const Value* cpus = map.find("cpus")) given.cpus = reader.integer(*cpus, "cpus", 1, 4096);
  if (const Value* memory = map.find("memory")) given.memory = reader.size(*memory, "memory");
  if (const Value* time = map.find("time")) given.time = reader.time(*time, "time");
  if (const Value* gpus = map.find("gpus")) given.gpus = reader.integer(*gpus, "gpus", 0, 64);
  return given;
}

}  // namespace headway
