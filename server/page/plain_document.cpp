#include "server/page/plain_document.h"

#include "runtime/lineage/svg.h"

namespace ws::server {

std::string plain_document(const std::string& title, const std::string& body) {
  constexpr std::size_t kMostTitle = 500;  // Bytes.
  const std::string name = svg::escaped(title, kMostTitle);
  return "<!doctype html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">"
         "<meta name=\"viewport\" content=\"width=device-width\"><title>" +
         name + "</title></head><body>\n<h1>" + name + "</h1>\n" + body +
         "<p><a href=\"/page/plain\">All problems</a></p>\n</body></html>\n";
}

}  // namespace ws::server
