// `import-dataset`: a dataset that other people's scripts wrote. The declaration is for both
// programs; what runs it is in import_dataset_native.cc. Neither needs LibTorch.
#pragma once

#include <string>

#include "lib/stage/native_stage.h"
#include "lib/stage/stage_type.h"

namespace headway {

struct ImportDatasetParams {
  FilePath train;
  FilePath val;
  FilePath test;
  std::string overlap = "refuse";
};

const SchemaOf<ImportDatasetParams>& import_dataset_schema();
StageType import_dataset_stage();

void run_import_dataset(StageContext& context);

}  // namespace headway
