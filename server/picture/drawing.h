// A drawing as plain shapes, which the plug-in makes pixels of.
#pragma once

#include <string>
#include <vector>

namespace ws::server {

/// The colours that drawings have. kLevel1 to kLevel9 are the sizes of errors, as on the page.
enum class Ink : unsigned char {
  kPaper,
  kText,
  kQuiet,
  kLine,
  kSoft,
  kLink,
  kGood,
  kBad,
  kOpen,
  kNoise,
  kLevel1,
  kLevel2,
  kLevel3,
  kLevel4,
  kLevel5,
  kLevel6,
  kLevel7,
  kLevel8,
  kLevel9,
};

enum class ShapeKind : unsigned char { kRect, kFrame, kLine, kDashes, kDot, kRing, kText, kTitle };

/// Where a text has its `x`.
enum class Anchor : unsigned char { kStart, kMiddle, kEnd };

/// The position and size in pixels, from the upper left corner.
struct Shape {
  ShapeKind kind = ShapeKind::kRect;
  int x = 0;
  int y = 0;   ///< Texts: the upper edge; dots: the centre.
  int x2 = 0;  ///< Rectangles: the width; lines: the other end; dots: the radius.
  int y2 = 0;  ///< Rectangles: the height; lines: the other end; else 0.
  Ink ink = Ink::kText;
  int width = 1;       ///< Lines: how thick.
  std::string text{};  ///< Printable ASCII.
};

/// Letters of texts are 6 pixels wide and 13 high; those of titles 7 and 13.
inline constexpr int kLetterWidth = 6;
inline constexpr int kTitleWidth = 7;
inline constexpr int kLetterHeight = 13;

/// One thread.
class Drawing {
 public:
  /// In pixels. White.
  Drawing(int width, int height)
      : width_(width),
        height_(height) {}

  void rect(double x, double y, double width, double height, Ink ink);
  void frame(double x, double y, double width, double height, Ink ink);
  void line(double x1, double y1, double x2, double y2, Ink ink, int width = 1);
  void dashes(double x1, double y1, double x2, double y2, Ink ink);
  void dot(double x, double y, double radius, Ink ink);
  void ring(double x, double y, double radius, Ink ink);
  /// Any text, from anybody: other characters than printable ASCII become "?".
  /// @param room  Pixels: a longer text is cut, and ends in "..".
  void text(double x, double y, const std::string& text, int room, Ink ink = Ink::kText,
            Anchor anchor = Anchor::kStart);
  void title(double x, double y, const std::string& text, int room);

  [[nodiscard]] int width() const { return width_; }

  [[nodiscard]] int height() const { return height_; }

  [[nodiscard]] const std::vector<Shape>& shapes() const { return shapes_; }

 private:
  int width_;
  int height_;
  std::vector<Shape> shapes_;
};

/// A scale of numbers over pixels.
struct Scale {
  double low = 0;
  double high = 1;
  double from = 0;  ///< The pixel of `low`.
  double to = 1;
  bool logarithmic = false;  ///< `low` is above 0 then.

  [[nodiscard]] double at(double value) const;
};

}  // namespace ws::server
