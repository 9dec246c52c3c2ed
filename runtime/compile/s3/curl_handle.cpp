#include "runtime/compile/s3/curl_handle.h"

#include <algorithm>
#include <array>
#include <cstdio>
#include <cstring>
#include <utility>

#include <sys/socket.h>

namespace ws {
namespace {

constexpr std::size_t kMostHeadBytes = std::size_t{64} << 10U;
constexpr std::size_t kMostErrorBytes = std::size_t{64} << 10U;
constexpr long kStallBytes = 4096;
constexpr const char* kEmptySha256 =
    "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855";

/// The parts that have arrived. A callback that takes less than it is given ends the transfer.
struct Received {
  std::string body;
  std::size_t most_bytes = 0;
  std::size_t head_bytes = 0;
  bool too_long = false;
};

std::size_t take_body(const char* bytes, std::size_t size, std::size_t count, void* to) {
  auto& received = *static_cast<Received*>(to);
  received.too_long = size * count > received.most_bytes - received.body.size();
  if (received.too_long) {
    return 0;
  }
  received.body.append(bytes, size * count);
  return size * count;
}

std::size_t take_head(const char* /*bytes*/, std::size_t size, std::size_t count, void* to) {
  auto& received = *static_cast<Received*>(to);
  received.head_bytes += size * count;
  received.too_long = received.head_bytes > kMostHeadBytes;
  return received.too_long ? 0 : size * count;
}

struct Sent {
  std::string_view bytes;
  std::size_t done = 0;
};

std::size_t give_body(char* to, std::size_t size, std::size_t count, void* from) {
  auto& sent = *static_cast<Sent*>(from);
  const std::size_t part = std::min(size * count, sent.bytes.size() - sent.done);
  std::memcpy(to, sent.bytes.data() + sent.done, part);
  sent.done += part;
  return part;
}

/// A kept connection may be gone: the library begins again then.
int seek_body(void* from, curl_off_t offset, int origin) {
  auto& sent = *static_cast<Sent*>(from);
  if (origin != SEEK_SET || offset < 0 || static_cast<std::size_t>(offset) > sent.bytes.size()) {
    return CURL_SEEKFUNC_CANTSEEK;
  }
  sent.done = static_cast<std::size_t>(offset);
  return CURL_SEEKFUNC_OK;
}

/// Workers inherit no connection.
curl_socket_t open_socket(void* /*none*/, curlsocktype /*purpose*/, curl_sockaddr* address) {
  return ::socket(address->family, address->socktype | SOCK_CLOEXEC, address->protocol);
}

bool is_plain(const S3Bucket& bucket) {
  return bucket.url.starts_with("http://");
}

}  // namespace

CurlHandle::CurlHandle(CurlHandle&& other) noexcept
    : curl_(std::exchange(other.curl_, nullptr)),
      headers_(std::exchange(other.headers_, nullptr)),
      failed_(other.failed_) {}

CurlHandle::~CurlHandle() {
  curl_slist_free_all(headers_);
  curl_easy_cleanup(curl_);
}

template <typename Value>
void CurlHandle::set(CURLoption option, Value value) {
  if (failed_ == CURLE_OK) {
    failed_ = curl_easy_setopt(curl_, option, value);
  }
}

void CurlHandle::add_header(const std::string& line) {
  curl_slist* const longer = curl_slist_append(headers_, line.c_str());
  if (longer == nullptr) {
    failed_ = CURLE_OUT_OF_MEMORY;
    return;
  }
  headers_ = longer;
}

void CurlHandle::begin(const S3Bucket& bucket, const std::string& name) {
  failed_ = curl_ == nullptr ? CURLE_OUT_OF_MEMORY : CURLE_OK;
  if (failed_ != CURLE_OK) {
    return;
  }
  curl_easy_reset(curl_);  // It keeps the connection.
  set(CURLOPT_URL, (bucket.url + "/" + name).c_str());
  set(CURLOPT_PROTOCOLS_STR, is_plain(bucket) ? "http" : "https");
  set(CURLOPT_HTTP_VERSION, static_cast<long>(CURL_HTTP_VERSION_1_1));
  set(CURLOPT_FOLLOWLOCATION, 0L);
  set(CURLOPT_SSLVERSION, static_cast<long>(CURL_SSLVERSION_TLSv1_2));
  set(CURLOPT_OPENSOCKETFUNCTION, &open_socket);
  if (!bucket.ca.empty()) {
    set(CURLOPT_CAINFO, bucket.ca.c_str());
  }
  if (is_plain(bucket)) {
    set(CURLOPT_NOPROXY, "*");  // It is this machine.
  }
  bound(bucket);
}

void CurlHandle::bound(const S3Bucket& bucket) {
  set(CURLOPT_NOSIGNAL, 1L);
  set(CURLOPT_QUICK_EXIT, 1L);  // Else a timeout waits for the thread that resolves the name.
  set(CURLOPT_CONNECTTIMEOUT_MS, bucket.limits.connect.count());
  set(CURLOPT_TIMEOUT_MS, bucket.limits.whole.count());
  set(CURLOPT_LOW_SPEED_LIMIT, kStallBytes);
  set(CURLOPT_LOW_SPEED_TIME, bucket.limits.stall.count());
}

/// libcurl 7.88 signs all headers that it is given, hashes no body that it is to read, and makes no
/// x-amz-content-sha256: so this one names the hash. It would sign a header without value, too, and
/// not send it.
void CurlHandle::sign(const S3Bucket& bucket, const std::string& sha256) {
  curl_slist_free_all(std::exchange(headers_, nullptr));
  add_header("x-amz-content-sha256: " + sha256);
  if (!bucket.key.session.empty()) {
    add_header("x-amz-security-token: " + bucket.key.session);
  }
  set(CURLOPT_HTTPHEADER, headers_);
  set(CURLOPT_AWS_SIGV4, ("aws:amz:" + bucket.region + ":s3").c_str());
  set(CURLOPT_USERNAME, bucket.key.id.c_str());
  set(CURLOPT_PASSWORD, bucket.key.secret.c_str());
}

S3Answer CurlHandle::perform(std::size_t most_bytes) {
  Received received{.body = {}, .most_bytes = most_bytes};
  set(CURLOPT_WRITEFUNCTION, &take_body);
  set(CURLOPT_WRITEDATA, &received);
  set(CURLOPT_MAXFILESIZE_LARGE, static_cast<curl_off_t>(most_bytes));
  set(CURLOPT_HEADERFUNCTION, &take_head);
  set(CURLOPT_HEADERDATA, &received);
  const CURLcode done = failed_ == CURLE_OK ? curl_easy_perform(curl_) : failed_;
  S3Answer answer;
  if (received.too_long || done == CURLE_FILESIZE_EXCEEDED) {
    answer.reason = "it is too long";
  } else if (done != CURLE_OK) {
    answer.reason = curl_easy_strerror(done);
  } else {
    long status = 0;
    curl_easy_getinfo(curl_, CURLINFO_RESPONSE_CODE, &status);
    answer.status = static_cast<int>(status);
    answer.body = std::move(received.body);
  }
  return answer;
}

S3Answer CurlHandle::get(const S3Bucket& bucket, const std::string& name, std::size_t most_bytes) {
  begin(bucket, name);
  sign(bucket, kEmptySha256);
  return perform(most_bytes);
}

S3Answer CurlHandle::put(const S3Bucket& bucket, const std::string& name, std::string_view bytes,
                         const std::string& sha256) {
  Sent sent{.bytes = bytes};
  begin(bucket, name);
  sign(bucket, sha256);
  set(CURLOPT_UPLOAD, 1L);
  set(CURLOPT_INFILESIZE_LARGE, static_cast<curl_off_t>(bytes.size()));
  set(CURLOPT_READFUNCTION, &give_body);
  set(CURLOPT_READDATA, &sent);
  set(CURLOPT_SEEKFUNCTION, &seek_body);
  set(CURLOPT_SEEKDATA, &sent);
  return perform(kMostErrorBytes);
}

}  // namespace ws
