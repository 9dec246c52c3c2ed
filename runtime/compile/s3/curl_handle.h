// One request of libcurl at a time, on a connection that is kept.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include <curl/curl.h>

#include "runtime/compile/s3/boundary.h"

namespace ws {

/// One thread at a time.
class CurlHandle {
 public:
  CurlHandle()
      : curl_(curl_easy_init()) {}

  CurlHandle(CurlHandle&& other) noexcept;
  CurlHandle(const CurlHandle&) = delete;
  CurlHandle& operator=(const CurlHandle&) = delete;
  CurlHandle& operator=(CurlHandle&&) = delete;
  ~CurlHandle();

  /// @param most_bytes  As S3Engine::get() has it.
  S3Answer get(const S3Bucket& bucket, const std::string& name, std::size_t most_bytes);
  /// As S3Engine::put().
  S3Answer put(const S3Bucket& bucket, const std::string& name, std::string_view bytes,
               const std::string& sha256);

 private:
  template <typename Value>
  void set(CURLoption option, Value value);

  void begin(const S3Bucket& bucket, const std::string& name);
  void bound(const S3Bucket& bucket);
  void sign(const S3Bucket& bucket, const std::string& sha256);
  void add_header(const std::string& line);
  S3Answer perform(std::size_t most_bytes);

  CURL* curl_ = nullptr;
  curl_slist* headers_ = nullptr;
  CURLcode failed_ = CURLE_OK;  ///< The first that this request met.
};

}  // namespace ws
