#include "tools/profile/roofline_chart.h"

#include <algorithm>
#include <cmath>

#include "runtime/lineage/svg.h"

namespace ws {
namespace {

// Pixels.
constexpr int kWidth = 560;
constexpr int kHeight = 360;
constexpr int kLeft = 60;
constexpr int kTop = 40;
constexpr int kRight = kWidth - 20;
constexpr int kBottom = kHeight - 50;

constexpr double kDecades = 5;  // On each axis, about the point where the limits meet.
constexpr std::size_t kMaxTitle = 90;
constexpr const char* kAxisColour = "#888888";
constexpr const char* kRoofColour = "#3366aa";
constexpr const char* kDotColour = "#dd8833";

/// Decades to pixels; what lies outside stands at the edge.
class Axis {
 public:
  Axis(double middle, int from, int to)
      : low_(std::log10(middle) - kDecades / 2),
        from_(from),
        to_(to) {}

  [[nodiscard]] double place(double value) const {
    const double part = std::clamp((std::log10(value) - low_) / kDecades, 0.0, 1.0);
    return from_ + (to_ - from_) * part;
  }

  [[nodiscard]] double low() const { return std::pow(10, low_); }

  [[nodiscard]] double high() const { return std::pow(10, low_ + kDecades); }

 private:
  double low_;
  int from_;
  int to_;
};

std::string ticks(const Axis& x, const Axis& y) {
  std::string body;
  for (double at = std::ceil(std::log10(x.low())); at <= std::log10(x.high()); ++at) {
    const int place = static_cast<int>(x.place(std::pow(10, at)));
    body += svg::line(place, kBottom, place, kBottom + 4, kAxisColour);
    body += svg::text_at(place - 10, kBottom + 18, svg::number(std::pow(10, at), at < 0 ? 2 : 0));
  }
  for (double at = std::ceil(std::log10(y.low())); at <= std::log10(y.high()); ++at) {
    const int place = static_cast<int>(y.place(std::pow(10, at)));
    body += svg::line(kLeft - 4, place, kLeft, place, kAxisColour);
    body += svg::text_at(4, place + 4, svg::number(std::pow(10, at), 0));
  }
  return body;
}

}  // namespace

std::string roofline_chart(const std::string& title, const RooflinePoint& point) {
  const double ridge = point.peak_gflops / point.peak_gbps;
  const Axis x(ridge, kLeft, kRight);
  // The roof a decade below the top.
  const Axis y(point.peak_gflops / std::pow(10, kDecades / 2 - 1), kBottom, kTop);
  std::string body = svg::text_at(8, 20, svg::escaped(title, kMaxTitle), " font-weight=\"bold\"");
  body += svg::line(kLeft, kBottom, kRight, kBottom, kAxisColour);
  body += svg::line(kLeft, kTop, kLeft, kBottom, kAxisColour);
  body += ticks(x, y);
  body += svg::text_at(kRight - 130, kBottom + 38, "operations per byte");
  body += svg::text_at(kLeft + 6, kTop + 4, "Gflop/s");
  // Where the slope leaves the picture at the bottom.
  const double start = std::max(x.low(), y.low() / point.peak_gbps);
  body += svg::line(x.place(start), y.place(start * point.peak_gbps), x.place(ridge),
                    y.place(point.peak_gflops), kRoofColour);
  body += svg::line(x.place(ridge), y.place(point.peak_gflops), kRight, y.place(point.peak_gflops),
                    kRoofColour);
  if (point.intensity > 0 && point.gflops > 0) {
    body += "<circle cx=\"" + svg::number(x.place(point.intensity), 1) + "\" cy=\"" +
            svg::number(y.place(point.gflops), 1) + "\" r=\"5\" fill=\"" + kDotColour + "\"/>\n";
  }
  return svg::drawing(kWidth, kHeight, body);
}

}  // namespace ws
