// Native stages called without an engine, and what is wrong with declarations of stages.
#pragma once

#include <string>

#include "lib/spec/yaml.h"
#include "lib/stage/native_stage.h"

namespace headway::testing {

// The mistakes reported for a stage of this type with these parameters, at "p.yaml".
inline std::string declaration_mistakes(const StageType& type, const std::string& with) {
  Diagnostics diagnostics;
  const SourceLocation place = {SourceLocation::intern("p.yaml"), 1, 1};
  const Value given = parse_yaml(with, place.source, diagnostics).value();
  const Value params = type.params->resolve(given, "stage 'd'", place, diagnostics);
  if (type.check && diagnostics.empty())
    type.check({"stage 'd'", params, {}, type.outputs, {}}, diagnostics);
  return diagnostics.text();
}

// Shows no progress and is never cancelled.
class QuietContext final : public StageContext {
 public:
  using StageContext::StageContext;
  void progress(double, std::string_view) override {}
  bool cancelled() const override { return false; }
};

}  // namespace headway::testing
