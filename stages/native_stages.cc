#include "stages/native_stages.h"

namespace headway {

NativeStages native_stages() {
  return {
      // {"train-seq2seq", train_seq2seq},
  };
}

}  // namespace headway
