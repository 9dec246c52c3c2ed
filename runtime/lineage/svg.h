// The elements of our drawings: SVG 1.1 as text.
#pragma once

#include <cstddef>
#include <string>

namespace ws::svg {

/// Text as XML takes it: marks as entities, no control characters or bytes that are not UTF-8; cut
/// after `limit` bytes.
std::string escaped(const std::string& text, std::size_t limit);

/// The same in every locale: "12.5".
std::string number(double value, int digits);

/// @param more  Further attributes: " font-weight=\"bold\"".
std::string text_at(int x, int y, const std::string& text, const char* more = "");

std::string line(double x1, double y1, double x2, double y2, const char* colour);

/// The whole drawing, in pixels. @param body  What is in it.
std::string drawing(int width, int height, const std::string& body);

}  // namespace ws::svg
