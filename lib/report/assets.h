// The files of assets/, compiled in.
#pragma once

namespace headway {

extern const char* const kReportCss;
extern const char* const kReportJs;
extern const char* const kDefaultTemplate;  // for reports without a template

}  // namespace headway
