#include "tests/support/s3_endpoint.h"

#include <algorithm>
#include <array>
#include <filesystem>

#include <doctest/doctest.h>
#include <sys/socket.h>

#include "runtime/base/files.h"
#include "runtime/base/hash.h"
#include "runtime/base/hmac.h"

namespace ws::test {
namespace {

constexpr const char* kBucketPath = "/kernels/";
constexpr const char* kKeyId = "AKIATESTTESTTESTTEST";
constexpr const char* kSecretKey = "secret/of+the/test";
constexpr const char* kSession = "session+of/the==test";

std::string answer_text(const std::string& status, const std::string& body) {
  return "HTTP/1.1 " + status +
         "\r\nConnection: close\r\nContent-Length: " + std::to_string(body.size()) + "\r\n\r\n" +
         body;
}

std::string fault_text(const std::string& status, const std::string& code) {
  return answer_text(status, "<?xml version=\"1.0\"?><Error><Code>" + code + "</Code></Error>");
}

/// A request with its body, for which a client waits to be asked.
std::string read_s3_request(int client) {
  std::string text;
  std::size_t whole = std::string::npos;
  while (text.size() < whole) {
    std::array<char, 65536> bytes{};
    const ssize_t count = ::recv(client, bytes.data(), bytes.size(), 0);
    if (count <= 0) {
      break;
    }
    text.append(bytes.data(), static_cast<std::size_t>(count));
    const std::size_t head = text.find("\r\n\r\n");
    if (whole != std::string::npos || head == std::string::npos) {
      continue;
    }
    const S3Request request = parse_s3_request(text);
    const auto length = request.headers.find("content-length");
    whole = head + 4 + (length == request.headers.end() ? 0 : std::stoul(length->second));
    if (request.headers.contains("expect")) {
      send_text(client, "HTTP/1.1 100 Continue\r\n\r\n");
    }
  }
  return text;
}

}  // namespace

bool no_s3(const char* test) {
  if (std::filesystem::exists(executable_path().parent_path() / kS3LibraryFile)) {
    return false;
  }
  MESSAGE("left out, as there is no libcurl here: " << test);
  return true;
}

S3Endpoint::S3Endpoint() {
  listener_.start([this](int client) { serve(client); });
}

S3Endpoint::~S3Endpoint() {
  stop();
}

S3Bucket S3Endpoint::bucket() const {
  return {.url = listener_.url() + "/kernels",
          .region = "eu-test-1",
          .key = {.id = kKeyId, .secret = kSecretKey, .session = kSession}};
}

std::map<std::string, std::string> S3Endpoint::objects() const {
  const std::lock_guard lock(mutex_);
  return objects_;
}

void S3Endpoint::change_objects(const std::function<void(std::string& bytes)>& change) {
  const std::lock_guard lock(mutex_);
  for (auto& [name, bytes] : objects_) {
    change(bytes);
  }
}

void S3Endpoint::act(std::function<void(int client)> act) {
  const std::lock_guard lock(mutex_);
  act_ = std::move(act);
}

void S3Endpoint::serve(int client) {
  const std::string text = read_s3_request(client);
  ++asked_;
  std::function<void(int client)> act;
  {
    const std::lock_guard lock(mutex_);
    act = act_;
  }
  if (act) {
    act(client);
  } else {
    send_text(client, answer_to(parse_s3_request(text)));
  }
}

/// The code of what is wrong with the request; empty: it is in order.
std::string S3Endpoint::fault_of(const S3Request& request) const {
  const auto authorization = request.headers.find("authorization");
  if (authorization == request.headers.end()) {
    return "AccessDenied";
  }
  const S3Authorization claimed = parse_s3_authorization(authorization->second);
  if (claimed.key_id != kKeyId) {
    return "InvalidAccessKeyId";
  }
  if (claimed.region != bucket().region || claimed.service != "s3") {
    return "AuthorizationHeaderMalformed";
  }
  for (const char* name : {"host", "x-amz-content-sha256", "x-amz-date", "x-amz-security-token"}) {
    const auto& names = claimed.signed_headers;
    if (std::ranges::find(names, name) == names.end() || !request.headers.contains(name)) {
      return "AccessDenied";
    }
  }
  if ("http://" + request.headers.at("host") != listener_.url() ||
      !same_signature(s3_signature(request, claimed, kSecretKey), claimed.signature)) {
    return "SignatureDoesNotMatch";
  }
  if (request.headers.at("x-amz-security-token") != kSession) {
    return "InvalidToken";
  }
  return request.headers.at("x-amz-content-sha256") == sha256_hex(request.body)
             ? ""
             : "XAmzContentSHA256Mismatch";
}

std::string S3Endpoint::answer_to(const S3Request& request) {
  if (const std::string fault = fault_of(request); !fault.empty()) {
    return fault_text("403 Forbidden", fault);
  }
  if (!request.path.starts_with(kBucketPath)) {
    return fault_text("404 Not Found", "NoSuchBucket");
  }
  const std::string name = request.path.substr(std::string(kBucketPath).size());
  const std::lock_guard lock(mutex_);
  if (request.method == "PUT") {
    objects_[name] = request.body;
    return answer_text("200 OK", "");
  }
  const auto object = objects_.find(name);
  return object == objects_.end() ? fault_text("404 Not Found", "NoSuchKey")
                                  : answer_text("200 OK", object->second);
}

}  // namespace ws::test
