// An OAuth issuer on loopback that publishes its metadata and keys, and can be down.
#pragma once

#include <map>
#include <mutex>
#include <string>
#include <thread>

#include "runtime/base/files.h"

namespace ws::test {

/// One thread, one connection at a time.
class StubIssuer {
 public:
  /// Takes a port, at which nobody answers yet.
  StubIssuer();
  StubIssuer(const StubIssuer&) = delete;
  StubIssuer& operator=(const StubIssuer&) = delete;
  ~StubIssuer();

  /// "http://127.0.0.1:PORT"
  [[nodiscard]] const std::string& url() const { return url_; }

  /// A GET of the path answers this from now on; other paths answer with 404.
  void publish(const std::string& path, const std::string& body);

  /// Answers from now on.
  void start();

 private:
  void serve();
  [[nodiscard]] std::string answer_to(const std::string& request);

  Fd listener_;
  std::string url_;
  std::mutex mutex_;
  std::map<std::string, std::string> pages_;  // guarded by mutex_
  std::thread thread_;
};

}  // namespace ws::test
