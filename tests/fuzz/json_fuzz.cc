// JSON of any kind: what parses has no mistake, and what does not has a located one.
#include "lib/base/json.h"
#include "tests/fuzz/fuzz.h"

using namespace headway;

FUZZ_TARGET(json) {
  const std::optional<Json> value = parse_json(input);
  const std::string mistake = json_mistake(input);
  fuzz::require(value.has_value() == mistake.empty(), "JSON has a mistake or a value", mistake);
  if (!value) return fuzz::check_message(mistake, {"line ", "it is empty"});
  fuzz::require(parse_json(to_line(*value)) == value, "JSON is the same when it is read again",
                to_line(*value));
}
