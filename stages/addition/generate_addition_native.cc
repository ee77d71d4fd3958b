#include "lib/addition/dataset_summary.h"
#include "stages/addition/generate_addition.h"

namespace headway {

void run_generate_addition(StageContext& context) {
  const GenerateAdditionParams params = generate_addition_schema().read(context.params());
  const Seq2SeqData data = generate_addition(addition_sizes(params));
  context.throw_if_cancelled();
  RealFileSystem files;
  const auto write = [&](const char* output, const std::string& bytes) {
    files.write(context.output(output), bytes, Durability::kCached);
  };
  write("data", to_safetensors(to_tensor_file(data)));
  write("table", addition_statistics(data).to_csv());
  write("metrics", dataset_metrics(data).dump(1) + "\n");
}

}  // namespace headway
