#include "runtime/lineage/speedup_chart.h"

#include <algorithm>
#include <cmath>

#include "runtime/lineage/svg.h"

namespace ws {
namespace {

constexpr std::size_t kMaxRows = 60;
constexpr std::size_t kMaxLabel = 34;  // Bytes that fit before the bars.
constexpr std::size_t kMaxTitle = 90;

// Pixels.
constexpr int kLabelWidth = 230;
constexpr int kPanelWidth = 230;
constexpr int kNumberWidth = 70;  // After the longest bar.
constexpr int kWidth = kLabelWidth + 2 * (kPanelWidth + kNumberWidth);
constexpr int kHeadHeight = 56;
constexpr int kRowHeight = 22;
constexpr int kBarHeight = 14;

constexpr const char* kTotalColour = "#3366aa";
constexpr const char* kStepColour = "#dd8833";
constexpr const char* kAxisColour = "#888888";

bool drawable(const std::optional<double>& value) {
  return value && std::isfinite(*value) && *value > 0;
}

/// One of the two columns of bars, on an axis over all of its values and 1.
class Panel {
 public:
  Panel(int left, const char* colour)
      : left_(left),
        colour_(colour) {}

  void include(const std::optional<double>& value) {
    if (drawable(value)) {
      low_ = std::min(low_, std::log2(*value));
      high_ = std::max(high_, std::log2(*value));
    }
  }

  /// The bar from 1 to the value: to the left of it where the step made things slower.
  [[nodiscard]] std::string bar(int top, const std::optional<double>& value) const {
    if (!drawable(value)) {
      return {};
    }
    const double one = place(0);
    const double end = place(std::log2(*value));
    const double from = std::min(one, end);
    const double width = std::max(1.0, std::fabs(end - one));
    return "<rect x=\"" + svg::number(from, 1) + "\" y=\"" + std::to_string(top) + "\" width=\"" +
           svg::number(width, 1) + "\" height=\"" + std::to_string(kBarHeight) + "\" fill=\"" +
           colour_ + "\"/>\n" +
           svg::text_at(static_cast<int>(from + width) + 4, top + 11, svg::number(*value, 2) + "x");
  }

  [[nodiscard]] std::string line_at_one(int height) const {
    const double x = place(0);
    return svg::line(x, kHeadHeight - 4, x, height, kAxisColour);
  }

 private:
  [[nodiscard]] double place(double log) const {
    const double span = std::max(high_ - low_, 1.0);  // At least a doubling: noise stays small.
    return left_ + kPanelWidth * (log - low_) / span;
  }

  const int left_;
  const char* const colour_;
  double low_ = 0;
  double high_ = 0;
};

}  // namespace

std::string speedup_chart(const std::string& title, const std::vector<SpeedupPoint>& points) {
  const std::size_t rows = std::min(points.size(), kMaxRows);
  Panel total(kLabelWidth, kTotalColour);
  Panel step(kLabelWidth + kPanelWidth + kNumberWidth, kStepColour);
  for (std::size_t i = 0; i < rows; ++i) {
    total.include(points[i].total);
    step.include(points[i].step);
  }
  const bool cut = rows < points.size();
  const int below = kHeadHeight + static_cast<int>(rows) * kRowHeight;
  const int height = below + (cut ? kRowHeight : 0) + 8;
  std::string body;
  body += svg::text_at(8, 20, svg::escaped(title, kMaxTitle), " font-weight=\"bold\"");
  body += svg::text_at(kLabelWidth, 44, "cumulative speed-up");
  body += svg::text_at(kLabelWidth + kPanelWidth + kNumberWidth, 44, "step-wise speed-up");
  body += total.line_at_one(below) + step.line_at_one(below);
  for (std::size_t i = 0; i < rows; ++i) {
    const int top = kHeadHeight + static_cast<int>(i) * kRowHeight;
    body += svg::text_at(8, top + 11, svg::escaped(points[i].label, kMaxLabel));
    body += total.bar(top, points[i].total) + step.bar(top, points[i].step);
  }
  if (cut) {
    body += svg::text_at(8, below + 11, std::to_string(points.size() - rows) + " more steps");
  }
  return svg::drawing(kWidth, height, body);
}

}  // namespace ws
