// The bytes of a connection: they are a head or are refused with a status; a head that is written
// out again is the same head.
#include <string>

#include "server/transport/http_head.h"
#include "tests/fuzz/must.h"

namespace {

using namespace ws::server;
using ws::fuzz::must;

std::string written(const HttpHead& head) {
  std::string text =
      head.method + " " + head.path + (head.first_version ? " HTTP/1.0" : " HTTP/1.1");
  text += "\r\n";
  for (const auto& [name, value] : head.headers) {
    text += name + ": " + value + "\r\n";
  }
  return text + "\r\n";
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view bytes = ws::fuzz::text_of(data, size);
  const auto whole = head_size(bytes);
  if (!whole) {
    must(whole.error().status >= 400 && !whole.error().message.empty());
    return 0;
  }
  must(*whole <= size);
  if (*whole == 0) {
    must(size <= kMaxRequestLine + kMaxHeaderBytes + 2);  // More would have been refused.
    return 0;
  }
  const auto head = parse_head(bytes.substr(0, *whole));
  if (!head) {
    must(head.error().status >= 400 && !head.error().message.empty());
    return 0;
  }
  must(!head->method.empty() && head->path.starts_with('/') && head->headers.size() <= kMaxHeaders);
  must(!head->chunked || !head->length);  // Two readers could see two bodies.
  const auto again = parse_head(written(*head));
  must(again && again->headers == head->headers && again->length == head->length &&
       again->chunked == head->chunked && again->keep_alive == head->keep_alive);
  return 0;
}
