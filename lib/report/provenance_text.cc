#include "lib/report/provenance_text.h"

#include <fmt/format.h>

#include <chrono>

#include "lib/base/text.h"
#include "lib/report/phrases.h"

namespace headway {
namespace {

bool is_empty_value(const Json& value) {
  return value.is_null() || (value.is_string() && value.get_ref<const std::string&>().empty()) ||
         (value.is_structured() && value.empty());
}

std::string value_text(const Json& value) {
  return value.is_string() ? value.get<std::string>() : to_line(value);
}

void add_parameters(const std::string& name, const Json& value, std::vector<FlatParameter>& found) {
  if (is_empty_value(value)) return;
  if (!value.is_object()) {
    found.push_back({name, value_text(value)});
    return;
  }
  for (const auto& [key, inner] : value.items())
    add_parameters(name.empty() ? key : name + "." + key, inner, found);
}

}  // namespace

std::vector<FlatParameter> parameters_of(const StageOrigin& stage) {
  std::vector<FlatParameter> found;
  add_parameters("", stage.params, found);
  return found;
}

std::string shortened_value(const std::string& value, std::size_t most) {
  const std::size_t length = display_width(value);
  if (length <= most) return value;
  return fmt::format("{} ({} characters)", fit(value, most), count_text(length));
}

std::string machine_text(const Json& machine) {
  std::vector<std::string> parts;
  const auto add = [&](const char* name, const std::string& before, const std::string& after) {
    if (machine.is_object() && machine.contains(name) && !is_empty_value(machine[name]))
      parts.push_back(before + value_text(machine[name]) + after);
  };
  add("cpu", "", "");
  add("cores", "", machine.is_object() && machine.value("cores", Json()) == 1 ? " core" : " cores");
  add("system", "", "");
  add("libtorch", "LibTorch ", "");
  return join(parts, ", ");
}

std::string utc_text(std::int64_t unix_seconds) {
  using namespace std::chrono;
  const sys_seconds moment{seconds(unix_seconds)};
  const sys_days day = floor<days>(moment);
  const year_month_day date(day);
  const hh_mm_ss time(moment - day);
  return fmt::format("{:04}-{:02}-{:02} {:02}:{:02} UTC", static_cast<int>(date.year()),
                     static_cast<unsigned>(date.month()), static_cast<unsigned>(date.day()),
                     time.hours().count(), time.minutes().count());
}

}  // namespace headway
