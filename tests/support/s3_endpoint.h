// An endpoint of S3 on loopback with one bucket. It checks signatures by itself, and can do other
// things than it is asked for.
#pragma once

#include <atomic>
#include <functional>
#include <map>
#include <mutex>
#include <string>

#include "runtime/compile/s3/boundary.h"
#include "tests/support/loopback_listener.h"
#include "tests/support/s3_signature.h"

namespace ws::test {

/// Whether there is no library for S3 here. Says so. @param test  Its subject.
bool no_s3(const char* test);

class S3Endpoint {
 public:
  /// It answers from now on. One thread, one connection at a time.
  S3Endpoint();
  S3Endpoint(const S3Endpoint&) = delete;
  S3Endpoint& operator=(const S3Endpoint&) = delete;
  ~S3Endpoint();

  /// The bucket, and the key that it takes.
  [[nodiscard]] S3Bucket bucket() const;

  /// Its objects, by what stands behind the bucket's name.
  [[nodiscard]] std::map<std::string, std::string> objects() const;
  /// Calls change(bytes) with each of them.
  void change_objects(const std::function<void(std::string& bytes)>& change);

  /// The number of requests so far.
  [[nodiscard]] int asked() const { return asked_; }

  /// Does this with each connection from now on, once its request was read.
  void act(std::function<void(int client)> act);

  /// Takes no more connections.
  void stop() { listener_.stop(); }

 private:
  void serve(int client);
  [[nodiscard]] std::string answer_to(const S3Request& request);
  [[nodiscard]] std::string fault_of(const S3Request& request) const;

  mutable std::mutex mutex_;
  std::map<std::string, std::string> objects_;  // guarded by mutex_
  std::function<void(int client)> act_;         // guarded by mutex_
  std::atomic<int> asked_ = 0;
  LoopbackListener listener_;
};

}  // namespace ws::test
