#include "runtime/lineage/svg.h"

#include "runtime/base/numbers.h"
#include "runtime/base/text.h"

namespace ws::svg {
namespace {

std::string attribute(const char* name, const std::string& value) {
  return std::string(" ") + name + "=\"" + value + "\"";
}

}  // namespace

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

std::string number(double value, int digits) {
  return fixed_digits(value, digits);
}

std::string text_at(int x, int y, const std::string& text, const char* more) {
  return "<text x=\"" + std::to_string(x) + "\" y=\"" + std::to_string(y) + "\"" + more + ">" +
         text + "</text>\n";
}

std::string line(double x1, double y1, double x2, double y2, const char* colour) {
  return "<line" + attribute("x1", number(x1, 1)) + attribute("y1", number(y1, 1)) +
         attribute("x2", number(x2, 1)) + attribute("y2", number(y2, 1)) +
         attribute("stroke", colour) + "/>\n";
}

std::string drawing(int width, int height, const std::string& body) {
  return "<svg xmlns=\"http://www.w3.org/2000/svg\"" + attribute("width", std::to_string(width)) +
         attribute("height", std::to_string(height)) +
         " font-family=\"sans-serif\" font-size=\"12\">\n"
         "<rect width=\"100%\" height=\"100%\" fill=\"#ffffff\"/>\n" +
         body + "</svg>\n";
}

}  // namespace ws::svg
