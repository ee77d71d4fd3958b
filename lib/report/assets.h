// Files of assets/, as text in the program.
#pragma once

namespace headway {

extern const char* const kReportCss;
extern const char* const kReportJs;
extern const char* const kDefaultTemplate;  // of pipelines that have no report of their own

}  // namespace headway
