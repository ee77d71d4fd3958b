// A page in one file: head, style, contents, body and script. Fetches nothing.
#pragma once

#include <string>
#include <vector>

#include "lib/report/markdown_html.h"

namespace headway {

// The files of assets/, compiled in.
extern const char* const kReportCss;
extern const char* const kReportJs;
extern const char* const kDefaultTemplate;  // for reports without a template

struct HtmlPage {
  std::string title;              // plain text
  std::string kicker;             // a short line above the title: "quickstart / seed-642"
  std::string body;               // HTML
  std::vector<Heading> contents;  // headings of the body, for the table of contents
  std::string footer;             // HTML
};

std::string to_html(const HtmlPage& page);

}  // namespace headway
