#include "lib/report/html_page.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <span>

#include "lib/base/digest.h"
#include "lib/report/escape.h"

namespace headway {
namespace {

std::string base64(std::span<const std::uint8_t> bytes) {
  static constexpr std::string_view kLetters =
      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string text;
  for (std::size_t at = 0; at < bytes.size(); at += 3) {
    std::uint32_t three = 0;
    for (std::size_t i = 0; i < 3; ++i)
      three = three << 8 | (at + i < bytes.size() ? bytes[at + i] : 0U);
    for (std::size_t i = 0; i < 4; ++i)
      text += at + i > bytes.size() ? '=' : kLetters[three >> (18 - 6 * i) & 63U];
  }
  return text;
}

// A second line of defence: the page cannot fetch anything, and only the script with this digest
// runs.
std::string security_policy(std::string_view script) {
  return fmt::format(
      "default-src 'none'; img-src data:; style-src 'unsafe-inline'; script-src 'sha256-{}'; "
      "base-uri 'none'; form-action 'none'",
      base64(digest_of(script).bytes()));
}

constexpr int kContentsLevels = 2;  // more would make the contents too long

std::string page_head(const HtmlPage& page) {
  const std::string script = fmt::format("\n{}", kReportJs);
  // Has an icon, because the browser would otherwise request one.
  return fmt::format(
      "<head>\n"
      "<meta charset=\"utf-8\">\n"
      "<meta http-equiv=\"Content-Security-Policy\" content=\"{}\">\n"
      "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
      "<meta name=\"color-scheme\" content=\"light dark\">\n"
      "<title>{}</title>\n"
      "<link rel=\"icon\" href=\"data:,\">\n"
      "<style>\n{}</style>\n"
      "<script>{}</script>\n"
      "</head>\n",
      security_policy(script), html_escaped(page.title), kReportCss, script);
}

std::string page_header(const HtmlPage& page) {
  std::string html = "<header class=\"page-header\">\n<div>\n";
  if (!page.kicker.empty())
    html += fmt::format("<p class=\"kicker\">{}</p>\n", html_escaped(page.kicker));
  html += fmt::format("<h1>{}</h1>\n</div>\n", html_escaped(page.title));
  // Hidden until the script, without which it does nothing, shows it.
  return html + "<button type=\"button\" class=\"theme\" hidden></button>\n</header>\n";
}

// Folded for phones; on a wide screen the script unfolds it.
std::string page_contents(const std::vector<Heading>& headings) {
  if (headings.empty()) return "";
  int top = headings.front().level;
  for (const Heading& heading : headings) top = std::min(top, heading.level);
  std::string html =
      "<nav class=\"contents\" aria-label=\"Contents\">\n<details>\n<summary>Contents</summary>\n"
      "<ol>\n";
  for (const Heading& heading : headings) {
    const int depth = heading.level - top;
    if (depth >= kContentsLevels) continue;
    html += fmt::format("<li{}><a href=\"#{}\">{}</a></li>\n", depth > 0 ? " class=\"deeper\"" : "",
                        html_escaped(heading.id), html_escaped(heading.text));
  }
  return html + "</ol>\n</details>\n</nav>\n";
}

}  // namespace

std::string to_html(const HtmlPage& page) {
  std::string html = "<!DOCTYPE html>\n<html lang=\"en\">\n" + page_head(page) + "<body>\n";
  html += "<a class=\"skip\" href=\"#page.main\">Skip to the text</a>\n";
  html += page_header(page);
  html += fmt::format("<div class=\"page{}\">\n", page.contents.empty() ? "" : " has-contents");
  html += page_contents(page.contents);
  html += "<main id=\"page.main\" tabindex=\"-1\">\n" + page.body + "</main>\n</div>\n";
  if (!page.footer.empty())
    html += "<footer class=\"page-footer\">\n" + page.footer + "\n</footer>\n";
  return html + "</body>\n</html>\n";
}

}  // namespace headway
