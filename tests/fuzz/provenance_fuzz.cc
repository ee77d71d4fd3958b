// The provenance of a report's inputs.
#include "lib/report/provenance.h"
#include "tests/fuzz/fuzz.h"

using namespace headway;

FUZZ_TARGET(provenance) {
  fuzz::accepts({"provenance: "}, [&] {
    const Provenance provenance = parse_provenance(input);
    for (const StageFamily& family : families_of(provenance)) {
      for (const StageOrigin* stage : family.members) {
        parameters_of(*stage);
        machine_text(stage->machine);
        utc_text(stage->finished);
      }
    }
    for (const StageOrigin::Input& used : provenance.inputs) {
      for (const std::string& source : used.sources) provenance.maker_of(source);
    }
  });
}
