#include "tests/support/raw_http.h"

#include <array>
#include <cctype>
#include <cstdint>

#include <arpa/inet.h>
#include <doctest/doctest.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

namespace ws {
namespace {

constexpr int kWaitMs = 10000;

void read_head(const std::string& head, HttpResponse& response) {
  response.status = std::stoi(head.substr(head.find(' ') + 1));
  std::size_t at = head.find("\r\n") + 2;
  while (at < head.size()) {
    const std::size_t end = head.find("\r\n", at);
    const std::size_t colon = head.find(": ", at);
    std::string name = head.substr(at, colon - at);
    for (char& c : name) {
      c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
    }
    response.headers[name] = head.substr(colon + 2, end - colon - 2);
    at = end + 2;
  }
}

}  // namespace

HttpConnection::HttpConnection(int port)
    : socket_(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(static_cast<std::uint16_t>(port));
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  REQUIRE(::connect(socket_.get(), reinterpret_cast<const sockaddr*>(&address), sizeof(address)) ==
          0);
}

bool HttpConnection::send(std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t count = ::send(socket_.get(), bytes.data(), bytes.size(), MSG_NOSIGNAL);
    if (count <= 0) {
      return false;
    }
    bytes.remove_prefix(static_cast<std::size_t>(count));
  }
  return true;
}

bool HttpConnection::more() {
  pollfd wait{socket_.get(), POLLIN, 0};
  std::array<char, 65536> chunk{};
  if (::poll(&wait, 1, kWaitMs) <= 0) {
    return false;
  }
  const ssize_t count = ::recv(socket_.get(), chunk.data(), chunk.size(), 0);
  if (count <= 0) {
    return false;
  }
  buffer_.append(chunk.data(), static_cast<std::size_t>(count));
  return true;
}

std::string HttpConnection::until(std::string_view mark) {
  std::size_t at = 0;
  while ((at = buffer_.find(mark)) == std::string::npos) {
    if (!more()) {
      return std::exchange(buffer_, {});
    }
  }
  std::string text = buffer_.substr(0, at + mark.size());
  buffer_.erase(0, text.size());
  return text;
}

HttpResponse HttpConnection::receive() {
  HttpResponse response;
  const std::string head = until("\r\n\r\n");
  if (!head.ends_with("\r\n\r\n")) {
    return response;
  }
  read_head(head.substr(0, head.size() - 2), response);
  if (response.headers.contains("transfer-encoding")) {
    for (std::size_t size = 1; size > 0;) {
      const std::string line = until("\r\n");
      size = line.empty() ? 0 : std::stoul(line, nullptr, 16);
      while (buffer_.size() < size + 2 && more()) {
      }
      response.body += buffer_.substr(0, size);
      buffer_.erase(0, size + 2);
    }
    return response;
  }
  const std::size_t size = std::stoul(response.headers["content-length"]);
  while (buffer_.size() < size && more()) {
  }
  response.body = buffer_.substr(0, size);
  buffer_.erase(0, size);
  return response;
}

std::string post_request(std::string_view body, std::string_view more_headers) {
  return "POST /mcp HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/json\r\n" +
         std::string(more_headers) + "Content-Length: " + std::to_string(body.size()) + "\r\n\r\n" +
         std::string(body);
}

std::string modern_headers(std::string_view tool) {
  return "MCP-Protocol-Version: 2026-07-28\r\nMcp-Method: tools/call\r\nMcp-Name: " +
         std::string(tool) + "\r\n";
}

}  // namespace ws
