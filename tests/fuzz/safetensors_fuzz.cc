// Files of arrays. What they hold is for other targets.
#include "lib/numerics/safetensors.h"

#include "tests/fuzz/fuzz.h"

using namespace headway;

FUZZ_TARGET(safetensors) {
  fuzz::accepts({"f: "}, [&] {
    const TensorFile file = parse_safetensors(input, "f");
    fuzz::require(parse_safetensors(to_safetensors(file), "again") == file,
                  "arrays are the same when they are read again");
  });
}
