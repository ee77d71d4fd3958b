// A report that the program made, open in a browser.
#pragma once

#include <catch2/catch_test_macros.hpp>
#include <memory>
#include <string>

#include "tests/browser/browser.h"
#include "tests/browser/report_fixture.h"

namespace headway::browser {

class OpenedReport {
 public:
  explicit OpenedReport(const ReportArtifacts& artifacts = small_artifacts(),
                        const std::string& pipeline = report_pipeline(),
                        const std::string& file = "shown.yaml")
      : report_(artifacts, pipeline, file), page_(browser_.new_page()) {
    page_->open_file(report_.page());
  }

  Page* operator->() { return page_.get(); }
  Page& page() { return *page_; }
  Path file() const { return report_.page(); }

  // Checks that the page printed nothing on the console and requested nothing but itself. A figure
  // is part of the page.
  void check_quiet() {
    page_->settle();
    CHECK(page_->console() == std::vector<std::string>{});
    CHECK(page_->dialogs() == std::vector<std::string>{});
    std::vector<std::string> requests = page_->requests();
    std::erase_if(requests, [](const std::string& url) { return url.starts_with("data:"); });
    CAPTURE(requests);
    CHECK(requests.size() == 1);
  }

 private:
  MadeReport report_;
  Browser browser_;
  std::unique_ptr<Page> page_;
};

}  // namespace headway::browser
