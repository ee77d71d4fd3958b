#include "lib/figures/page.h"

#include <algorithm>
#include <cassert>
#include <cmath>

#include "lib/base/error.h"
#include "lib/base/text.h"
#include "lib/figures/style.h"

namespace headway {
namespace {

constexpr double kSmallestPanel = 16;  // pixels
constexpr double kTitleSize = 15;
constexpr double kSmallestTitleSize = 9;

std::string replaced(std::string_view text, char what, std::string_view with) {
  return join(split(text, what), with);
}

// Smaller for long titles: gnuplot neither wraps nor cuts them.
double title_size(std::string_view title, int width) {
  const double fitting = 0.97 * width / std::max(1.0, text_width({std::string(title)}, 1));
  return std::floor(std::clamp(fitting, kSmallestTitleSize, kTitleSize));
}

// Sizes are pixels of the SVG. A point of the cairo terminals is 4/3 pixel, and the PNG has two
// pixels for each of the SVG's: a font scale of 1.5 makes the letters equally large.
constexpr const char* kPreamble = R"(reset
set encoding utf8
set datafile separator "\t"
if (!exists('name')) {{ name = 'redrawn' }}
if (!exists('format')) {{ format = 'svg' }}
if (format eq 'svg') {{
  set terminal svg noenhanced size {0},{1} font 'Helvetica, Arial, sans-serif,12' background 'white'
}} else {{
  set terminal pngcairo noenhanced size {2},{3} font 'Sans,12' fontscale 1.5 linewidth 2 pointscale 2 background 'white'
}}
set output name.'.'.format
set border 3 linecolor '#444444'
set tics nomirror out scale 0.5
set key samplen 2 spacing 1.1
set format '%g'
)";

constexpr const char* kEnd = R"(unset multiplot
unset output
if (format eq 'svg') {
  format = 'png'
  load 'figure.gp'
  undefine format
}
)";

constexpr double kExtraOfWideLetter = 0.8;  // 1.8 times as wide as others

// Of East Asian scripts and emoji, by the first byte of a code point in UTF-8.
std::size_t wide_letters(std::string_view text) {
  return static_cast<std::size_t>(std::ranges::count_if(text, [](char letter) {
    const auto byte = static_cast<unsigned char>(letter);
    return (byte >= 0xE3 && byte <= 0xED) || byte == 0xF0;
  }));
}

// The entries of a legend in columns of this many lines, column by column.
std::vector<std::vector<LegendEntry>> columns_of(const std::vector<LegendEntry>& entries,
                                                 std::size_t lines) {
  std::vector<std::vector<LegendEntry>> columns;
  for (std::size_t i = 0; i < entries.size(); ++i) {
    if (i % lines == 0) columns.emplace_back();
    columns.back().push_back(entries[i]);
  }
  return columns;
}

double columns_width(const std::vector<LegendEntry>& entries, std::size_t lines) {
  constexpr double kSampleAndGap = 52;
  double width = 0;
  for (const std::vector<LegendEntry>& column : columns_of(entries, lines))
    width += kSampleAndGap + text_width(texts_of(column, &LegendEntry::title), 12);
  return width;
}

}  // namespace

std::string literal(std::string_view text) {
  // gnuplot writes a single quote as '', but fails if a text begins with it.
  return "'" + replaced(printable(text), '\'', "’") + "'";
}

std::string tick(std::string_view label, double at) {
  // A percent sign would start a number format.
  return literal(replaced(label, '%', "%%")) + " " + number_text(at);
}

std::string ticks(const std::vector<std::string>& labels, std::string_view separator) {
  std::vector<std::string> list;
  for (const std::string& label : labels)
    list.push_back(tick(label, static_cast<double>(list.size() + 1)));
  return join(list, separator);
}

std::string cell(std::string_view text) {
  // gnuplot unescapes backslashes in data, but cannot represent a double quote.
  return '"' + replaced(replaced(printable(text), '\\', "\\\\"), '"', "'") + '"';
}

std::string cell(double number) {
  return std::isfinite(number) ? number_text(number) : "NaN";
}

std::string cell(std::size_t number) {
  return std::to_string(number);
}

double text_width(const std::vector<std::string>& texts, double font_size) {
  double letters = 0;
  for (const std::string& text : texts)
    letters = std::max(letters, static_cast<double>(display_width(text)) +
                                    kExtraOfWideLetter * static_cast<double>(wide_letters(text)));
  return letters * font_size * kPixelsPerLetter;
}

std::string fit_pixels(std::string_view text, double pixels, double font_size, double least) {
  const double letters = std::max(least, pixels / text_width({"x"}, font_size));
  return fit(printable(text), static_cast<std::size_t>(letters));
}

std::string cut_title(std::string_view title, int width) {
  return fit_pixels(title, 0.97 * width, kSmallestTitleSize);
}

std::vector<Panel> side_by_side(const Panel& area, std::size_t count, double gap) {
  const double columns = static_cast<double>(count);
  const double width = (area.width() - gap * (columns - 1)) / columns;
  std::vector<Panel> panels;
  for (std::size_t i = 0; i < count; ++i) {
    const double left = area.left + static_cast<double>(i) * (width + gap);
    panels.push_back({left, left + width, area.top, area.bottom});
  }
  return panels;
}

std::vector<Panel> in_grid(const Panel& area, std::size_t columns, std::size_t count, double gap_x,
                           double gap_y) {
  const std::size_t rows = (count + columns - 1) / columns;
  const double gaps = gap_y * static_cast<double>(rows - 1);
  const double height = (area.height() - gaps) / static_cast<double>(rows);
  std::vector<Panel> panels;
  for (std::size_t row = 0; row < rows; ++row) {
    const double top = area.top + static_cast<double>(row) * (height + gap_y);
    for (const Panel& panel :
         side_by_side({area.left, area.right, top, top + height}, columns, gap_x)) {
      if (panels.size() < count) panels.push_back(panel);
    }
  }
  return panels;
}

std::size_t even_columns(std::size_t count, std::size_t most) {
  const std::size_t columns = std::clamp<std::size_t>(most, 1, count);
  const std::size_t rows = (count + columns - 1) / columns;
  return (count + rows - 1) / rows;
}

double legend_width(const std::vector<LegendEntry>& entries) {
  return columns_width(entries, 1);
}

std::size_t legend_lines(const std::vector<LegendEntry>& entries, double width) {
  std::size_t lines = 1;
  while (lines < entries.size() && columns_width(entries, lines) > width) ++lines;
  return lines;
}

Page::Page(std::string_view subject, const FigureOptions& options, Size size,
           std::string_view title)
    : size_(size_or(options.size, size)),
      subject_(printable(subject)),
      title_(printable(options.title.empty() ? title : options.title)) {}

void Page::place(const Panel& panel) {
  if (std::min(panel.width(), panel.height()) < kSmallestPanel)
    throw Error(
        "{} x {} pixels are too few for this figure; leave out 'width' and "
        "'height', or make them larger",
        size_.width, size_.height);
  add("set lmargin at screen {:.4f}; set rmargin at screen {:.4f}", x(panel.left), x(panel.right));
  add("set tmargin at screen {:.4f}; set bmargin at screen {:.4f}", y(panel.top), y(panel.bottom));
}

void Page::name_x_axis(const Panel& panel, std::string_view name, double below) {
  add("set label 1 {} at screen {:.4f}, screen {:.4f} center", literal(name), x(panel.middle_x()),
      y(panel.bottom + below));
}

void Page::name_y_axis(const Panel& panel, std::string_view name, double left, int tag) {
  add("set label {} {} at screen {:.4f}, screen {:.4f} center rotate by 90", tag, literal(name),
      x(left), y(panel.middle_y()));
}

void Page::name_rows(const std::vector<std::string>& labels) {
  add("set ytics ({}) scale 0 font ',11'", ticks(labels, ", \\\n  "));
}

void Page::place_colour_bar(const Panel& bar) {
  add("set colorbox user origin screen {:.4f}, screen {:.4f} size screen {:.4f}, screen {:.4f}",
      x(bar.left), y(bar.bottom), bar.width() / size_.width, bar.height() / size_.height);
}

void Page::legend(const std::vector<LegendEntry>& entries, std::size_t lines) {
  add("unset border; unset tics; unset grid; unset label; unset arrow; unset object");
  add("unset title; unset xlabel; unset ylabel; unset logscale");
  add("set key left center Left reverse");
  // Uses a panel for each entry: in one key the terminals would wrap lines differently, depending
  // on their estimates of text width.
  const double all = columns_width(entries, lines);
  const double narrowed = std::min(1.0, size_.width / all);
  const double first = size_.height - 30 - kLegendLine * static_cast<double>(lines - 1);
  double left = (size_.width - narrowed * all) / 2;
  for (const std::vector<LegendEntry>& column : columns_of(entries, lines)) {
    const double width = narrowed * columns_width(column, column.size());
    double top = first;
    for (const LegendEntry& entry : column) {
      place({left, left + width, top, top + 24});
      add("plot [0:1] [0:1] -1 notitle, keyentry {} title {}", entry.style, literal(entry.title));
      top += kLegendLine;
    }
    left += width;
  }
}

std::size_t Page::block(std::string_view name, const std::vector<std::string>& columns,
                        const Rows& rows) {
  assert(!rows.empty());
  if (blocks_ > 0) data_ += "\n\n";
  data_ += fmt::format("# {}: {}\n# {}\n", blocks_, printable(name), join(columns, "\t"));
  for (const auto& row : rows) data_ += join(row, "\t") + "\n";
  return blocks_++;
}

void Page::plot(const std::vector<std::string>& parts) {
  add("plot {}", join(parts, ", \\\n     "));
}

Figure Page::finish() const {
  std::string script = fmt::format(
      "# {}\n# `gnuplot figure.gp`, in this folder, reads figure.dat and draws redrawn.svg and "
      "redrawn.png.\n",
      subject_);
  script += fmt::format(kPreamble, size_.width, size_.height, 2 * size_.width, 2 * size_.height);
  script += fmt::format("set multiplot title {} font ',{}'\n", literal(title_),
                        title_size(title_, size_.width));
  return {script + commands_ + kEnd, data_, size_};
}

Size size_or(const Size& asked, const Size& needed) {
  return {asked.width > 0 ? asked.width : needed.width,
          asked.height > 0 ? asked.height : needed.height};
}

}  // namespace headway
