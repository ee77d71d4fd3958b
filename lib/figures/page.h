// Builds a figure: panels positioned in pixels, gnuplot commands and data blocks. Quotes text from
// tables, which may contain anything.
#pragma once

#include <fmt/format.h>

#include <string>
#include <string_view>
#include <vector>

#include "lib/figures/figure.h"

namespace headway {

// The text as a gnuplot string in single quotes, where `command`, @macro and backslash have no
// effect. Single quotes in the text become ’.
std::string literal(std::string_view text);

// An axis tick with its own text, for `set xtics (…)`.
std::string tick(std::string_view label, double at);
// Ticks at 1, 2, … on an axis of names.
std::string ticks(const std::vector<std::string>& labels, std::string_view separator = ", ");

// A cell of a data block.
std::string cell(std::string_view text);
std::string cell(double number);  // NaN if it is not finite
std::string cell(std::size_t number);

using Rows = std::vector<std::vector<std::string>>;  // the cells of a data block

// In pixels from the upper left corner of the page.
struct Panel {
  double left = 0;
  double right = 0;
  double top = 0;
  double bottom = 0;

  double width() const { return right - left; }
  double height() const { return bottom - top; }
  double middle_x() const { return (left + right) / 2; }
  double middle_y() const { return (top + bottom) / 2; }
};

// The greatest possible width of the longest text, in pixels.
double text_width(const std::vector<std::string>& texts, double font_size);
// The text, printable and cut to a width in pixels, but not to less than `least` letters.
std::string fit_pixels(std::string_view text, double pixels, double font_size, double least = 1);

// The title, shortened to fit a page of this width.
std::string cut_title(std::string_view title, int width);

// Splits the area into panels of equal width.
std::vector<Panel> side_by_side(const Panel& area, std::size_t count, double gap);

// The same in rows; the last may have fewer panels.
std::vector<Panel> in_grid(const Panel& area, std::size_t columns, std::size_t count, double gap_x,
                           double gap_y);
// How many columns, at most `most`, make rows of equal length, or nearly.
std::size_t even_columns(std::size_t count, std::size_t most);

struct LegendEntry {
  std::string style;
  std::string title;
};

double legend_width(const std::vector<LegendEntry>& entries);  // in pixels, on one line

inline constexpr double kLegendLine = 20;  // pixels for each further line of a legend

// The number of lines the legend needs on a page of this width.
std::size_t legend_lines(const std::vector<LegendEntry>& entries, double width);

class Page {
 public:
  // `subject` is the comment at the top of the script. Uses the size and title of the options if
  // set, else the given ones.
  Page(std::string_view subject, const FigureOptions& options, Size size, std::string_view title);

  Size size() const { return size_; }

  template <class... Args>
  void add(fmt::format_string<Args...> command, Args&&... args) {
    commands_ += fmt::format(command, std::forward<Args>(args)...) + "\n";
  }

  // Sets where the next `plot` draws its axes, without their labels. Throws Error if the page is
  // too small.
  void place(const Panel& panel);
  // Names the panel's x axis, `below` pixels under it. Unlike `set xlabel`, the position does not
  // depend on the terminal.
  void name_x_axis(const Panel& panel, std::string_view name, double below = 40);
  // Names the panel's y axis, this many pixels from the left edge of the page, as label `tag`.
  void name_y_axis(const Panel& panel, std::string_view name, double left, int tag);
  double x(double pixels) const { return pixels / size_.width; }  // gnuplot's `screen`
  double y(double pixels) const { return 1 - pixels / size_.height; }

  // Names the rows 1, 2, … left of the panel.
  void name_rows(const std::vector<std::string>& labels);

  // Sets where the next `plot` draws its colour bar.
  void place_colour_bar(const Panel& bar);

  // Draws a legend of styles ("with lines lc 'red'") at the foot of the page, in columns if it has
  // several lines. Call last: it resets the settings of the panels.
  void legend(const std::vector<LegendEntry>& entries, std::size_t lines = 1);

  // Adds a data block and returns its number for `index`. Needs at least one row: gnuplot does not
  // count empty blocks.
  std::size_t block(std::string_view name, const std::vector<std::string>& columns,
                    const Rows& rows);
  // Draws the parts of a plot ("'figure.dat' index 0 using 1:2 with lines") over each other.
  void plot(const std::vector<std::string>& parts);

  Figure finish() const;

 private:
  Size size_;
  std::string subject_;
  std::string title_;
  std::string commands_;
  std::string data_;
  std::size_t blocks_ = 0;
};

// `asked` if set, else `needed`.
Size size_or(const Size& asked, const Size& needed);

}  // namespace headway
