// libwarpsmith_picture.so. The only file that includes libgd (2.3.3).
#include "server/picture/raster.h"

#include <array>
#include <memory>

#include <gd.h>
#include <gdfontmb.h>
#include <gdfonts.h>

namespace {

using ws::server::Drawing;
using ws::server::Ink;
using ws::server::Shape;
using ws::server::ShapeKind;

/// In the order of Ink: those of the page's light style.
constexpr std::array<int, 19> kColours = {0xffffff, 0x1c2128, 0x57606a, 0xd0d7de, 0xf3f5f7,
                                          0x0a57b8, 0x17692b, 0xa51d1d, 0x6b5200, 0xcfd8e3,
                                          0xfbe3c0, 0xfbcf94, 0xf7b267, 0xf18f43, 0xe0692c,
                                          0xc3451f, 0x9b2618, 0x6b0f12, 0x7030b8};

struct FreeImage {
  void operator()(gdImagePtr image) const { gdImageDestroy(image); }
};

using Image = std::unique_ptr<gdImage, FreeImage>;

/// gd's functions take letters without const and do not write to them.
unsigned char* letters_of(const std::string& text) {
  return reinterpret_cast<unsigned char*>(const_cast<char*>(text.c_str()));
}

void draw_dashes(gdImagePtr image, const Shape& shape, int colour) {
  std::array<int, 6> style = {colour, colour, colour, gdTransparent, gdTransparent, gdTransparent};
  gdImageSetStyle(image, style.data(), static_cast<int>(style.size()));
  gdImageSetThickness(image, 2);
  gdImageLine(image, shape.x, shape.y, shape.x2, shape.y2, gdStyled);
  gdImageSetThickness(image, 1);
}

void draw_line(gdImagePtr image, const Shape& shape, int colour) {
  gdImageSetThickness(image, shape.width);
  gdImageLine(image, shape.x, shape.y, shape.x2, shape.y2, colour);
  gdImageSetThickness(image, 1);
}

void draw_shape(gdImagePtr image, const Shape& shape, int colour) {
  switch (shape.kind) {
    case ShapeKind::kRect:
      gdImageFilledRectangle(image, shape.x, shape.y, shape.x + shape.x2 - 1,
                             shape.y + shape.y2 - 1, colour);
      break;
    case ShapeKind::kFrame:
      gdImageRectangle(image, shape.x, shape.y, shape.x + shape.x2 - 1, shape.y + shape.y2 - 1,
                       colour);
      break;
    case ShapeKind::kLine:
      draw_line(image, shape, colour);
      break;
    case ShapeKind::kDashes:
      draw_dashes(image, shape, colour);
      break;
    case ShapeKind::kDot:
      gdImageFilledEllipse(image, shape.x, shape.y, 2 * shape.x2, 2 * shape.x2, colour);
      break;
    case ShapeKind::kRing:
      gdImageEllipse(image, shape.x, shape.y, 2 * shape.x2, 2 * shape.x2, colour);
      break;
    case ShapeKind::kText:
      gdImageString(image, gdFontGetSmall(), shape.x, shape.y, letters_of(shape.text), colour);
      break;
    case ShapeKind::kTitle:
      gdImageString(image, gdFontGetMediumBold(), shape.x, shape.y, letters_of(shape.text), colour);
      break;
  }
}

}  // namespace

extern "C" bool warpsmith_picture(const Drawing& drawing, std::string& png) {
  const Image image(gdImageCreate(drawing.width(), drawing.height()));
  if (!image) {
    return false;
  }
  std::array<int, kColours.size()> colours{};
  for (std::size_t i = 0; i < kColours.size(); ++i) {  // The first one is the background.
    const int colour = kColours.at(i);
    colours.at(i) = gdImageColorAllocate(image.get(), (colour >> 16) & 0xff, (colour >> 8) & 0xff,
                                         colour & 0xff);
  }
  for (const Shape& shape : drawing.shapes()) {
    draw_shape(image.get(), shape, colours.at(static_cast<std::size_t>(shape.ink)));
  }
  constexpr int kSmallest = 9;
  int size = 0;
  void* const bytes = gdImagePngPtrEx(image.get(), &size, kSmallest);
  if (bytes == nullptr) {
    return false;
  }
  png.assign(static_cast<const char*>(bytes), static_cast<std::size_t>(size));
  gdFree(bytes);
  return true;
}
