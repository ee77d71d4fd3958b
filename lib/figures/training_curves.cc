#include <algorithm>
#include <cmath>

#include "lib/base/error.h"
#include "lib/base/text.h"
#include "lib/figures/axes.h"
#include "lib/figures/checks.h"
#include "lib/figures/kinds.h"
#include "lib/figures/line_styles.h"
#include "lib/figures/page.h"
#include "lib/figures/style.h"

namespace headway {
namespace {

struct Series {
  std::string column;
  std::string title;
  std::string style;
  std::string short_title;  // for several trainings
};

// For one training: a colour for each quantity.
const std::vector<Series> kLosses = {
    {"train_loss", "training", fmt::format("lw 2 lc '{}'", kBlue), "training"},
    {"val_loss", "validation", fmt::format("lw 2 lc '{}'", kVermilion), "validation"}};
// For sequence models and classifiers; the first one present is the main one. The column
// teacher_forced is the same number as greedy (lib/train/scoring.h).
const std::vector<Series> kAccuracies = {
    {"greedy", "exact match", fmt::format("lw 3 lc '{}'", kBlue), "exact match"},
    {"accuracy", "accuracy", fmt::format("lw 3 lc '{}'", kBlue), "accuracy"},
    {"token_accuracy", "single tokens", fmt::format("lw 1.5 dt 2 lc '{}'", kGreen),
     "single tokens"}};

// The accuracies that all trainings have.
std::vector<Series> accuracies_of(const std::vector<NamedTable>& trainings) {
  std::vector<Series> found;
  for (const Series& series : kAccuracies) {
    const bool everywhere = std::ranges::all_of(
        trainings, [&](const NamedTable& training) { return training.table.has(series.column); });
    if (everywhere) found.push_back(series);
  }
  if (!found.empty()) return found;
  throw Error("{} no column 'greedy', 'accuracy' or 'token_accuracy'{}",
              trainings.size() == 1 ? subject_of(trainings[0]) + " has" : "the tables have",
              trainings.size() == 1 ? "" : " that is in all of them");
}

double last_number(const NamedTable& training, std::string_view column) {
  for (std::size_t row = training.table.size(); row-- > 0;) {
    const double value = training.table.number(row, column);
    if (std::isfinite(value)) return value;
  }
  throw Error("{}: column '{}' has no number in any row", subject_of(training), column);
}

std::string default_title(const std::vector<NamedTable>& trainings, const Series& accuracy) {
  std::vector<double> ends;
  for (const NamedTable& training : trainings)
    ends.push_back(100 * last_number(training, accuracy.column));
  return fmt::format("{}: {} {} % at the end",
                     ends.size() == 1 ? "Training" : fmt::format("{} trainings", ends.size()),
                     accuracy.title, percent_span(ends));
}

class TrainingCurves {
 public:
  TrainingCurves(const std::vector<NamedTable>& trainings, const FigureOptions& options)
      : trainings_(trainings),
        accuracies_(accuracies_of(trainings)),
        styles_(line_styles(texts_of(trainings, &NamedTable::name))),
        key_width_(key_width(trainings)),
        page_("training-curves: losses and accuracies by epoch", options, {1000 + key_width_, 410},
              default_title(trainings, accuracies_[0])) {}

  Figure draw() {
    const Size size = page_.size();
    const Panel area{65, size.width - 25.0 - key_width_, 70, size.height - 55.0};
    const std::vector<Panel> panels = side_by_side(area, 2, 70);
    page_.add("set grid ytics {}", kGridStyle);
    page_.add("set xrange [0:{}]", number_text(last_epoch()));
    draw_losses(panels[0]);
    draw_accuracies(panels[1]);
    return page_.finish();
  }

 private:
  bool is_alone() const { return trainings_.size() == 1; }

  // Several trainings are named beside the panels; the lines of one are named inside.
  static int key_width(const std::vector<NamedTable>& trainings) {
    if (trainings.size() == 1) return 0;
    return 60 + static_cast<int>(text_width(texts_of(trainings, &NamedTable::name), 12));
  }

  double last_epoch() const {
    double last = 1;
    for (const NamedTable& training : trainings_) {
      for (std::size_t row = 0; row < training.table.size(); ++row)
        last = std::max(last, required_number(training, row, "epoch"));
    }
    return last;
  }

  // The data block of one line. Contains only measured epochs, so that the line is not interrupted.
  std::size_t block(const NamedTable& training, const std::string& column) {
    last_number(training, column);  // throws if there is none
    Rows rows;
    for (std::size_t row = 0; row < training.table.size(); ++row) {
      const double value = training.table.number(row, column);
      if (!std::isfinite(value)) continue;
      smallest_ = std::min(smallest_, value);
      rows.push_back({cell(required_number(training, row, "epoch")), cell(value)});
    }
    const std::string name = training.name.empty() ? column : training.name + ", " + column;
    return page_.block(name, {"epoch", column}, rows);
  }

  // For several trainings: dashes distinguish quantities, colours and points distinguish trainings.
  // Unusual points are larger, to be visible.
  std::string style_of(std::size_t training, std::size_t series) const {
    const LineStyle& style = styles_[training];
    return fmt::format("pt {} ps {} lw {} dt {} lc '{}'", style.point,
                       style.point == LineStyle{}.point ? 0.3 : 0.7, series == 0 ? 2 : 1.2,
                       series + 1, style.colour);
  }

  // The parts of a plot; `using_columns` is gnuplot's `using` for a row.
  std::vector<std::string> lines(const std::vector<Series>& series,
                                 const std::string& using_columns) {
    std::vector<std::string> lines;
    for (std::size_t t = 0; t < trainings_.size(); ++t) {
      for (std::size_t s = 0; s < series.size(); ++s) {
        const std::size_t index = block(trainings_[t], series[s].column);
        const std::string style = is_alone() ? "pt 7 ps 0.3 " + series[s].style : style_of(t, s);
        const std::string title = is_alone() ? series[s].title : s == 0 ? trainings_[t].name : "";
        lines.push_back(fmt::format("'figure.dat' index {} using {} with linespoints {} {}", index,
                                    using_columns, style,
                                    title.empty() ? "notitle" : "title " + literal(title)));
      }
    }
    return lines;
  }

  void begin_panel(const Panel& panel, const std::string& title) {
    page_.place(panel);
    page_.name_x_axis(panel, "epoch");
    page_.add("set title {}", literal(title));
  }

  void draw_losses(const Panel& panel) {
    const auto parts = lines(is_alone() ? kLosses : std::vector{kLosses[1], kLosses[0]}, "1:2");
    begin_panel(panel, is_alone() ? "loss" : "loss: validation (dashed: training)");
    if (smallest_ > 0) page_.add("set logscale y");
    page_.add("{}", is_alone() ? "set key top right" : "unset key");
    page_.plot(parts);
    page_.add("unset logscale y");
  }

  void draw_accuracies(const Panel& panel) {
    std::vector<Series> drawn = accuracies_;
    if (!is_alone()) drawn.resize(std::min<std::size_t>(2, drawn.size()));
    begin_panel(panel, accuracies_title());
    page_.add("set yrange [0:102]");
    if (is_alone()) {
      page_.add("set key bottom right");
    } else {
      page_.add("set key at screen {:.4f}, screen {:.4f} left top vertical Left reverse",
                page_.x(panel.right + 15), page_.y(panel.top));
    }
    page_.plot(lines(drawn, "1:(100*$2)"));
  }

  std::string accuracies_title() const {
    const bool of_classes = accuracies_[0].column == "accuracy";
    if (is_alone() && !of_classes) return "right on validation data (%)";
    const std::string first =
        of_classes ? "validation accuracy (%)" : accuracies_[0].short_title + " (%)";
    if (is_alone() || accuracies_.size() == 1) return first;
    return fmt::format("{} (dashed: {})", first, accuracies_[1].short_title);
  }

  const std::vector<NamedTable>& trainings_;
  const std::vector<Series> accuracies_;
  const std::vector<LineStyle> styles_;
  const int key_width_;
  Page page_;
  double smallest_ = 1e300;  // value drawn so far
};

}  // namespace

Figure draw_training_curves(const std::vector<NamedTable>& trainings,
                            const FigureOptions& options) {
  require_columns(trainings, {"epoch", "train_loss", "val_loss"});
  return TrainingCurves(trainings, options).draw();
}

}  // namespace headway
