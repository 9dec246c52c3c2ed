#include "server/page/page_query.h"

#include <algorithm>
#include <charconv>

namespace ws::server {
namespace {

/// A percent sign that no two hexadecimal digits follow stands for itself.
std::string percent_decoded(std::string_view text) {
  std::string decoded;
  for (std::size_t at = 0; at < text.size(); ++at) {
    unsigned char byte = 0;
    const std::string_view digits = text.substr(std::min(at + 1, text.size()), 2);
    const auto read = std::from_chars(digits.data(), digits.data() + digits.size(), byte, 16);
    if (text[at] == '%' && digits.size() == 2 && read.ptr == digits.data() + digits.size()) {
      decoded += static_cast<char>(byte);
      at += 2;
    } else {
      decoded += text[at] == '+' ? ' ' : text[at];
    }
  }
  return decoded;
}

/// The text before the next `mark`; both are taken away.
std::string_view next_part(std::string_view& rest, char mark) {
  const std::size_t end = std::min(rest.find(mark), rest.size());
  const std::string_view part = rest.substr(0, end);
  rest.remove_prefix(std::min(end + 1, rest.size()));
  return part;
}

}  // namespace

std::vector<std::string> path_parts(std::string_view path) {
  std::vector<std::string> parts;
  while (!path.empty()) {
    if (const std::string_view part = next_part(path, '/'); !part.empty()) {
      parts.push_back(percent_decoded(part));
    }
  }
  return parts;
}

std::map<std::string, std::string> query_values(std::string_view query) {
  std::map<std::string, std::string> values;
  while (!query.empty()) {
    std::string_view value = next_part(query, '&');
    const std::string_view name = next_part(value, '=');
    values.emplace(percent_decoded(name), percent_decoded(value));
  }
  return values;
}

}  // namespace ws::server
