#include "tools/common/speedup_chart.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>

#include "runtime/base/text.h"

namespace ws {
namespace {

constexpr std::size_t kMaxRows = 60;
constexpr std::size_t kMaxLabel = 34;  // Bytes that fit before the bars.
constexpr std::size_t kMaxTitle = 90;

// Pixels.
constexpr int kLabelWidth = 230;
constexpr int kPanelWidth = 230;
constexpr int kNumberWidth = 70;  // Behind the longest bar.
constexpr int kWidth = kLabelWidth + 2 * (kPanelWidth + kNumberWidth);
constexpr int kHeadHeight = 56;
constexpr int kRowHeight = 22;
constexpr int kBarHeight = 14;

constexpr const char* kTotalColour = "#3366aa";
constexpr const char* kStepColour = "#dd8833";

/// Text as XML takes it: marks as entities, and no control characters or bytes that are not UTF-8.
std::string escaped(const std::string& text, std::size_t limit) {
  std::string clean;
  const std::size_t end = utf8_cut(text, limit);
  for (std::size_t at = 0; at < end;) {
    const std::size_t length = utf8_length(text, at);
    const auto byte = static_cast<unsigned char>(text[at]);
    if (length == 0 || byte < 0x20U || byte == 0x7fU) {
      clean += length == 0 ? '?' : ' ';
      ++at;
      continue;
    }
    switch (text[at]) {
      case '&':
        clean += "&amp;";
        break;
      case '<':
        clean += "&lt;";
        break;
      case '>':
        clean += "&gt;";
        break;
      case '"':
        clean += "&quot;";
        break;
      default:
        clean += text.substr(at, length);
    }
    at += length;
  }
  return end < text.size() ? clean + "..." : clean;
}

/// Whatever the locale: "12.5".
std::string coordinate(double value, int digits) {
  std::array<char, 64> text{};
  const auto end = std::to_chars(text.data(), text.data() + text.size(), value,
                                 std::chars_format::fixed, digits);
  return end.ec == std::errc() ? std::string(text.data(), end.ptr) : "huge";
}

std::string text_at(int x, int y, const std::string& text, const char* more = "") {
  return "<text x=\"" + std::to_string(x) + "\" y=\"" + std::to_string(y) + "\"" + more + ">" +
         text + "</text>\n";
}

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
    return "<rect x=\"" + coordinate(from, 1) + "\" y=\"" + std::to_string(top) + "\" width=\"" +
           coordinate(width, 1) + "\" height=\"" + std::to_string(kBarHeight) + "\" fill=\"" +
           colour_ + "\"/>\n" +
           text_at(static_cast<int>(from + width) + 4, top + 11, coordinate(*value, 2) + "x");
  }

  [[nodiscard]] std::string line_at_one(int height) const {
    const std::string x = coordinate(place(0), 1);
    return "<line x1=\"" + x + "\" y1=\"" + std::to_string(kHeadHeight - 4) + "\" x2=\"" + x +
           "\" y2=\"" + std::to_string(height) + "\" stroke=\"#888888\"/>\n";
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
  std::string svg = "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"" + std::to_string(kWidth) +
                    "\" height=\"" + std::to_string(height) +
                    "\" font-family=\"sans-serif\" font-size=\"12\">\n"
                    "<rect width=\"100%\" height=\"100%\" fill=\"#ffffff\"/>\n";
  svg += text_at(8, 20, escaped(title, kMaxTitle), " font-weight=\"bold\"");
  svg += text_at(kLabelWidth, 44, "cumulative speed-up");
  svg += text_at(kLabelWidth + kPanelWidth + kNumberWidth, 44, "step-wise speed-up");
  svg += total.line_at_one(below) + step.line_at_one(below);
  for (std::size_t i = 0; i < rows; ++i) {
    const int top = kHeadHeight + static_cast<int>(i) * kRowHeight;
    svg += text_at(8, top + 11, escaped(points[i].label, kMaxLabel));
    svg += total.bar(top, points[i].total) + step.bar(top, points[i].step);
  }
  if (cut) {
    svg += text_at(8, below + 11, std::to_string(points.size() - rows) + " more steps");
  }
  return svg + "</svg>\n";
}

}  // namespace ws
