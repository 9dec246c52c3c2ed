// libwarpsmith_s3.so. Together with curl_handle.cpp the only file that includes libcurl.
#include <mutex>
#include <utility>
#include <vector>

#include "runtime/compile/s3/curl_handle.h"

namespace ws {
namespace {

/// So many connections are kept.
constexpr std::size_t kMostIdle = 4;

class CurlBucket : public S3Engine {
 public:
  explicit CurlBucket(S3Bucket bucket)
      : bucket_(std::move(bucket)) {}

  S3Answer get(const std::string& name, std::size_t most_bytes) override {
    CurlHandle handle = take();
    S3Answer answer = handle.get(bucket_, name, most_bytes);
    give_back(std::move(handle));
    return answer;
  }

  S3Answer put(const std::string& name, std::string_view bytes,
               const std::string& sha256) override {
    CurlHandle handle = take();
    S3Answer answer = handle.put(bucket_, name, bytes, sha256);
    give_back(std::move(handle));
    return answer;
  }

 private:
  CurlHandle take() {
    const std::lock_guard lock(mutex_);
    if (idle_.empty()) {
      return {};
    }
    CurlHandle handle = std::move(idle_.back());
    idle_.pop_back();
    return handle;
  }

  void give_back(CurlHandle handle) {
    const std::lock_guard lock(mutex_);
    if (idle_.size() < kMostIdle) {
      idle_.push_back(std::move(handle));
    }
  }

  const S3Bucket bucket_;
  std::mutex mutex_;
  std::vector<CurlHandle> idle_;  // guarded by mutex_
};

}  // namespace
}  // namespace ws

extern "C" void warpsmith_s3_open(const ws::S3Bucket& bucket, std::unique_ptr<ws::S3Engine>& engine,
                                  std::string& reason) {
  if (const CURLcode ready = curl_global_init(CURL_GLOBAL_DEFAULT); ready != CURLE_OK) {
    reason = curl_easy_strerror(ready);
    return;
  }
  engine = std::make_unique<ws::CurlBucket>(bucket);
}
