#include "tests/support/stub_issuer.h"

namespace ws::test {

void StubIssuer::publish(const std::string& path, const std::string& body) {
  const std::lock_guard lock(mutex_);
  pages_[path] = body;
}

void StubIssuer::start() {
  listener_.start([this](int client) { send_text(client, answer_to(read_http_request(client))); });
}

std::string StubIssuer::answer_to(const std::string& request) {
  const std::size_t path = request.find(' ') + 1;
  const std::lock_guard lock(mutex_);
  const auto page = pages_.find(request.substr(path, request.find(' ', path) - path));
  const std::string body = page == pages_.end() ? "" : page->second;
  return "HTTP/1.1 " + std::string(page == pages_.end() ? "404 Not Found" : "200 OK") +
         "\r\nConnection: close\r\nContent-Length: " + std::to_string(body.size()) + "\r\n\r\n" +
         body;
}

}  // namespace ws::test
