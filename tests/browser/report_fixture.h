// Reports for the browser to open, made by the real program from small artifacts without any
// training.
#pragma once

#include <string>
#include <vector>

#include "lib/numerics/safetensors.h"
#include "tests/e2e/support.h"

namespace headway::browser {

// Artifacts like those of a study, and the text of its report.
struct ReportArtifacts {
  std::string heads;    // CSV
  std::string curves;   // SVG
  std::string metrics;  // JSON
  TensorFile maps;
  std::string text;  // the template
};

// Two problems, two layers of encoder and one of decoder, two heads each; every weight differs from
// its neighbours.
TensorFile small_maps(const std::vector<std::string>& problems);

// One problem, whose tokens are these words; one layer with two heads.
TensorFile words_maps(const std::string& site, const std::string& tokens,
                      const std::vector<std::string>& words);

ReportArtifacts small_artifacts();

// The stages that show the artifacts, then the report.
std::string report_pipeline();

// Runs the pipeline in its own folder. Fails the test if that fails.
class MadeReport {
 public:
  explicit MadeReport(const ReportArtifacts& artifacts,
                      const std::string& pipeline = report_pipeline(),
                      const std::string& file = "shown.yaml");

  Path page() const { return sandbox_.at("outputs/shown/report/index.html"); }

 private:
  e2e::Sandbox sandbox_;
};

}  // namespace headway::browser
