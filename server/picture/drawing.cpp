#include "server/picture/drawing.h"

#include <algorithm>
#include <cmath>

#include "runtime/base/text.h"

namespace ws::server {
namespace {

constexpr double kMostPixels = 4000;

int pixel(double value) {
  return static_cast<int>(
      std::lround(std::clamp(std::isfinite(value) ? value : 0.0, -kMostPixels, kMostPixels)));
}

/// The letters that the fonts have.
std::string drawable(const std::string& text, std::size_t letters) {
  std::string plain;
  for (std::size_t at = 0; at < text.size() && plain.size() <= letters;) {
    const std::size_t length = utf8_length(text, at);
    const char byte = text[at];
    plain += length == 1 && byte >= ' ' && byte <= '~' ? byte : '?';
    at += std::max<std::size_t>(length, 1);
  }
  if (plain.size() > letters) {
    plain.resize(letters);
    plain.replace(letters - std::min<std::size_t>(2, letters), 2, "..");
    plain.resize(letters);
  }
  return plain;
}

}  // namespace

void Drawing::rect(double x, double y, double width, double height, Ink ink) {
  shapes_.push_back({ShapeKind::kRect, pixel(x), pixel(y), std::max(1, pixel(width)),
                     std::max(1, pixel(height)), ink});
}

void Drawing::frame(double x, double y, double width, double height, Ink ink) {
  shapes_.push_back({ShapeKind::kFrame, pixel(x), pixel(y), std::max(1, pixel(width)),
                     std::max(1, pixel(height)), ink});
}

void Drawing::line(double x1, double y1, double x2, double y2, Ink ink, int width) {
  shapes_.push_back(
      {ShapeKind::kLine, pixel(x1), pixel(y1), pixel(x2), pixel(y2), ink, std::clamp(width, 1, 8)});
}

void Drawing::dashes(double x1, double y1, double x2, double y2, Ink ink) {
  shapes_.push_back({ShapeKind::kDashes, pixel(x1), pixel(y1), pixel(x2), pixel(y2), ink});
}

void Drawing::dot(double x, double y, double radius, Ink ink) {
  shapes_.push_back({ShapeKind::kDot, pixel(x), pixel(y), pixel(radius), 0, ink});
}

void Drawing::ring(double x, double y, double radius, Ink ink) {
  shapes_.push_back({ShapeKind::kRing, pixel(x), pixel(y), pixel(radius), 0, ink});
}

void Drawing::text(double x, double y, const std::string& text, int room, Ink ink, Anchor anchor) {
  const auto letters = static_cast<std::size_t>(std::max(0, room) / kLetterWidth);
  std::string shown = drawable(text, letters);
  const double wide = static_cast<double>(shown.size()) * kLetterWidth;
  const double left = anchor == Anchor::kStart ? x
                      : anchor == Anchor::kEnd ? x - wide
                                               : x - wide / 2;
  shapes_.push_back({ShapeKind::kText, pixel(left), pixel(y), 0, 0, ink, 1, std::move(shown)});
}

void Drawing::title(double x, double y, const std::string& text, int room) {
  const auto letters = static_cast<std::size_t>(std::max(0, room) / kTitleWidth);
  shapes_.push_back(
      {ShapeKind::kTitle, pixel(x), pixel(y), 0, 0, Ink::kText, 1, drawable(text, letters)});
}

double Scale::at(double value) const {
  const auto place = [this](double number) {
    return logarithmic ? std::log(std::max(number, low)) : number;
  };
  const double span = place(high) - place(low);
  return span > 0 ? from + (to - from) * (place(value) - place(low)) / span : from;
}

}  // namespace ws::server
