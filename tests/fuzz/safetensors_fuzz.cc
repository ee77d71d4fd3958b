// Files of arrays: the format itself, and the datasets that are kept in it.
#include "lib/numerics/safetensors.h"

#include "lib/addition/addition.h"
#include "lib/data/seq2seq_data.h"
#include "lib/extrapolation/sorting.h"
#include "tests/fuzz/fuzz.h"

using namespace headway;

FUZZ_TARGET(safetensors) {
  TensorFile file;
  const bool is_whole = fuzz::accepts({"f: "}, [&] { file = parse_safetensors(input, "f"); });
  if (!is_whole) return;
  fuzz::require(parse_safetensors(to_safetensors(file), "again") == file,
                "arrays are the same when they are read again");
  fuzz::accepts({"f: "}, [&] {
    const TensorFile again = to_tensor_file(seq2seq_data_from(file, "f", &addition_vocabulary()));
    fuzz::require(to_tensor_file(seq2seq_data_from(again, "again")) == again,
                  "a dataset is the same when it is read again");
  });
  fuzz::accepts({"f: "}, [&] {
    const TensorFile again = to_tensor_file(sorting_data_from(file, "f"));
    fuzz::require(to_tensor_file(sorting_data_from(again, "again")) == again,
                  "sequences are the same when they are read again");
  });
}
