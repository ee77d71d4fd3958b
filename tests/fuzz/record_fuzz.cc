// Records in the store: a text is a whole record or nothing.
#include "lib/store/record.h"
#include "tests/fuzz/fuzz.h"

using namespace headway;

FUZZ_TARGET(record) {
  static const Digest kKey = digest_of("a key");  // the seeds have it
  const std::optional<Record> record = parse_record(input, kKey);
  if (!record) return;
  const std::string text = to_text(*record);
  const std::optional<Record> again = parse_record(text, kKey);
  fuzz::require(again && to_text(*again) == text, "a record is the same when it is read again",
                text);
}
