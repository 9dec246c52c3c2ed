// The boundary of libwarpsmith_s3.so, which is loaded where large entries are shared in a bucket:
// libcurl needs libraries of its own, which the program does not.
#pragma once

#include <chrono>
#include <cstddef>
#include <memory>
#include <string>
#include <string_view>

namespace ws {

inline constexpr const char* kS3LibraryFile = "libwarpsmith_s3.so";
inline constexpr const char* kS3OpenSymbol = "warpsmith_s3_open";

/// Credentials of S3.
struct S3Key {
  std::string id;
  std::string secret;
  std::string session;  ///< The token that belongs to a key for some hours; empty: none.
};

/// An endpoint that is slower is one that does not answer.
struct S3Limits {
  std::chrono::milliseconds connect{3'000};
  std::chrono::seconds stall{5};  ///< The time in which less than 4 KiB/s come or go.
  std::chrono::milliseconds whole{20'000};
};

/// A bucket at an endpoint.
struct S3Bucket {
  std::string url;  ///< As bucket_url() makes it.
  std::string region = "us-east-1";
  std::string ca{};  ///< PEM file with the issuer of its certificate; empty: the system's.
  S3Key key{};
  S3Limits limits{};
};

/// The answer of an endpoint. Nobody vouches for it.
struct S3Answer {
  int status = 0;  ///< 0: there is no answer.
  std::string body;
  std::string reason;  ///< Set where there is no answer, or none that was read to its end.
};

/// Any thread; waits for the endpoint, at most as long as its limits say.
class S3Engine {
 public:
  S3Engine() = default;
  S3Engine(const S3Engine&) = delete;
  S3Engine& operator=(const S3Engine&) = delete;
  virtual ~S3Engine() = default;

  /// @param name        Behind the bucket's URL and a slash; letters, digits, '.', '-', '_', '/'.
  /// @param most_bytes  A longer answer is not read to its end.
  virtual S3Answer get(const std::string& name, std::size_t most_bytes) = 0;

  /// @param sha256  Of the bytes, lower-case hex.
  virtual S3Answer put(const std::string& name, std::string_view bytes,
                       const std::string& sha256) = 0;
};

/// The exported function. Program and library are built from one tree, by one compiler.
/// @param reason  Set where there is no engine.
using S3OpenFunction = void (*)(const S3Bucket& bucket, std::unique_ptr<S3Engine>& engine,
                                std::string& reason);

}  // namespace ws
