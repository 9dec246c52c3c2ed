#include "tests/support/s3_signature.h"

#include <algorithm>
#include <sstream>

#include "runtime/base/hash.h"
#include "runtime/base/hmac.h"
#include "runtime/base/text.h"

namespace ws::test {
namespace {

std::string lower(std::string text) {
  std::ranges::transform(text, text.begin(), [](unsigned char c) {
    return static_cast<char>(c >= 'A' && c <= 'Z' ? c - 'A' + 'a' : c);
  });
  return text;
}

/// The text between two others; empty: they are not there.
std::string between(const std::string& text, const std::string& begin, const std::string& end) {
  const std::size_t at = text.find(begin);
  if (at == std::string::npos) {
    return {};
  }
  const std::size_t from = at + begin.size();
  return text.substr(from, text.find(end, from) - from);
}

std::vector<std::string> split(const std::string& text, char at) {
  std::vector<std::string> parts;
  std::istringstream stream(text);
  for (std::string part; std::getline(stream, part, at);) {
    parts.push_back(part);
  }
  return parts;
}

std::string value_of(const S3Request& request, const std::string& header) {
  const auto found = request.headers.find(header);
  return found == request.headers.end() ? "" : found->second;
}

}  // namespace

S3Request parse_s3_request(std::string_view text) {
  S3Request request;
  const std::size_t head = text.find("\r\n\r\n");
  request.body = head == std::string_view::npos ? "" : std::string(text.substr(head + 4));
  std::istringstream lines{std::string(text.substr(0, head))};
  lines >> request.method >> request.path;
  std::string line;
  std::getline(lines, line);
  while (std::getline(lines, line)) {
    const std::size_t colon = line.find(':');
    if (colon != std::string::npos) {
      request.headers[lower(line.substr(0, colon))] =
          trimmed(std::string_view(line).substr(colon + 1), " \t\r");
    }
  }
  return request;
}

S3Authorization parse_s3_authorization(const std::string& header) {
  S3Authorization parts;
  const std::vector<std::string> scope =
      split(between(header, "AWS4-HMAC-SHA256 Credential=", ","), '/');
  if (scope.size() == 5 && scope[4] == "aws4_request") {
    parts.key_id = scope[0];
    parts.date = scope[1];
    parts.region = scope[2];
    parts.service = scope[3];
  }
  parts.signed_headers = split(between(header, "SignedHeaders=", ","), ';');
  parts.signature = between(header, "Signature=", ",");
  return parts;
}

std::string s3_signature(const S3Request& request, const S3Authorization& claimed,
                         const std::string& secret) {
  std::string headers;
  std::string names;
  for (const std::string& name : claimed.signed_headers) {
    headers += name + ":" + value_of(request, name) + "\n";
    names += (names.empty() ? "" : ";") + name;
  }
  const std::string canonical = request.method + "\n" + request.path + "\n\n" + headers + "\n" +
                                names + "\n" + value_of(request, "x-amz-content-sha256");
  const std::string scope =
      claimed.date + "/" + claimed.region + "/" + claimed.service + "/aws4_request";
  const std::string text = "AWS4-HMAC-SHA256\n" + value_of(request, "x-amz-date") + "\n" + scope +
                           "\n" + sha256_hex(canonical);
  std::string key = "AWS4" + secret;
  for (const std::string& part :
       {claimed.date, claimed.region, claimed.service, std::string("aws4_request")}) {
    key = bytes_of_hex(hmac_hex(key, part));
  }
  return hmac_hex(key, text);
}

}  // namespace ws::test
