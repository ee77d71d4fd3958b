// A run as JSON, one event a line, for other programs.
#pragma once

#include <cstdio>

#include "lib/run/observer.h"

namespace headway {

class JsonObserver final : public Observer {
 public:
  explicit JsonObserver(std::FILE* out) : out_(out) {}

  void run_started(const RunInfo& info) override;
  void stage_started(const StageStart& start) override;
  void stage_progress(const std::string& stage, double fraction, const std::string& words) override;
  void stage_finished(const StageReport& report) override;
  void headline_changed(const Headline& headline) override;
  void warning(const std::string& text) override;
  void run_finished(const RunSummary& summary) override;

 private:
  std::FILE* out_;
};

}  // namespace headway
