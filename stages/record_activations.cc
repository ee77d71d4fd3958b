#include "stages/params.h"
#include "stages/stages.h"

namespace headway {
namespace {

void check_record_activations(const StageDeclaration& stage, Diagnostics& diagnostics) {
  if (read_params<RecordActivationsParams>(stage).hooks.empty())
    diagnostics.add(stage.params.find("hooks")->location,
                    "{}: parameter 'hooks' names nothing to record", stage.subject);
}

}  // namespace

SchemaOf<RecordActivationsParams> RecordActivationsParams::schema() {
  using Params = RecordActivationsParams;
  SchemaOf<Params> schema;
  schema
      .add(
          "hooks", &Params::hooks,
          "names or patterns, in which * is any text: resid_pre and resid_post of a block "
          "(decoder.0.resid_post), in and out of a sublayer (encoder.0.feed.out), q, k, v, weights "
          "and z of an attention (decoder.1.cross.z), hidden of a feed-forward layer")
      .required();
  schema.add("samples", &Params::samples, "how many, from the beginning of the split")
      .between(1, 1 << 16);
  schema.add("split", &Params::split, "of the dataset");
  return schema;
}

StageType record_activations_stage() {
  return {.name = "record-activations",
          .summary = "writes what a model computes on its way, for other programs",
          .example =
              "  activations:\n"
              "    uses: record-activations\n"
              "    in: {model: train, data: data}\n"
              "    with: {hooks: [\"*.resid_post\", decoder.0.cross.z], samples: 200}\n",
          .params = schema_of<RecordActivationsParams>(),
          .inputs = {kModelPort, kDataPort},
          .outputs = {{"activations", "activations.safetensors",
                       "an array for each hook, the first dimension being the samples: residual "
                       "streams, in and out [N, T, d]; q, k, v and z [N, T, H, D]; weights "
                       "[N, H, T, S]; hidden [N, T, d_ff]. inputs, decoder_inputs and targets as "
                       "token numbers, and input_lengths and decoder_lengths: what lies beyond is "
                       "padding"}},
          .check = check_record_activations};
}

}  // namespace headway
