// A figure while it is being written: panels placed by the pixel, commands, and blocks of data.
// Knows gnuplot's language, and that text from tables may be anything; knows no kind of figure.
#pragma once

#include <fmt/format.h>

#include <string>
#include <string_view>
#include <vector>

#include "lib/figures/figure.h"

namespace headway {

// Text as a gnuplot string. Single quotes: nothing is expanded in them, neither `command` nor
// @macro nor a backslash. Quotes of the text become ’.
std::string literal(std::string_view text);

// A tick of an axis with a text of its own, for `set xtics (…)`.
std::string tick(std::string_view label, double at);
std::string tick(std::string_view label, std::size_t at);

// Cells of a block of data.
std::string cell(std::string_view text);
std::string cell(double number);  // NaN, where it is none
std::string cell(std::size_t number);

// Pixels from the upper left corner of the page.
struct Panel {
  double left = 0;
  double right = 0;
  double top = 0;
  double bottom = 0;
};

// How wide the longest of the texts may become, in pixels.
double text_width(const std::vector<std::string>& texts, double font_size);

// The area cut into panels of equal width.
std::vector<Panel> side_by_side(const Panel& area, std::size_t count, double gap);

struct LegendEntry {
  std::string style;
  std::string title;
};

double legend_width(const std::vector<LegendEntry>& entries);  // pixels, in one line

inline constexpr double kLegendLine = 20;  // pixels each line of a legend takes after the first

// How many lines the legend needs on a page of that width.
std::size_t legend_lines(const std::vector<LegendEntry>& entries, double width);

class Page {
 public:
  // `subject`: one line for those who open the script.
  Page(std::string_view subject, Size size, std::string_view title);
  // With the size and title of the options, or else those that the kind needs for its data.
  Page(std::string_view subject, const FigureOptions& options, Size size, std::string_view title);

  Size size() const { return size_; }

  template <class... Args>
  void add(fmt::format_string<Args...> command, Args&&... args) {
    commands_ += fmt::format(command, std::forward<Args>(args)...) + "\n";
  }

  // Where the next `plot` draws its axes; their labels are outside. An Error where the page is too
  // small for it.
  void place(const Panel& panel);
  // Names the x axis of the panel. By the pixel, unlike `set xlabel`: terminals disagree on how far
  // from the axis that is. `below` is how far, in pixels.
  void name_x_axis(const Panel& panel, std::string_view name, double below = 40);
  double x(double pixels) const { return pixels / size_.width; }  // gnuplot's `screen`
  double y(double pixels) const { return 1 - pixels / size_.height; }

  // Where the next `plot` shows what its colours mean.
  void place_colour_bar(const Panel& bar);

  // Names the styles ("with lines lc 'red'") at the foot of the page; where there are several
  // lines, in columns. Last: what was set for the panels is gone after it.
  void legend(const std::vector<LegendEntry>& entries, std::size_t lines = 1);

  // A part of the data, with its number for `index`. At least one row: gnuplot counts no empty
  // ones.
  std::size_t block(std::string_view name, const std::vector<std::string>& columns,
                    const std::vector<std::vector<std::string>>& rows);

  Figure finish() const;

 private:
  Size size_;
  std::string subject_;
  std::string title_;
  std::string commands_;
  std::string data_;
  std::size_t blocks_ = 0;
};

// The size asked for, or what the kind needs where none was.
Size size_or(const Size& asked, const Size& needed);

}  // namespace headway
