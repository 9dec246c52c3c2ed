// An OAuth issuer on loopback that publishes its metadata and keys, and can be down.
#pragma once

#include <map>
#include <mutex>
#include <string>

#include "tests/support/loopback_listener.h"

namespace ws::test {

/// One thread, one connection at a time.
class StubIssuer {
 public:
  /// "http://127.0.0.1:PORT", where nobody answers before start().
  [[nodiscard]] const std::string& url() const { return listener_.url(); }

  /// A GET of the path answers this from now on; other paths answer with 404.
  void publish(const std::string& path, const std::string& body);

  /// Answers from now on.
  void start();

 private:
  [[nodiscard]] std::string answer_to(const std::string& request);

  std::mutex mutex_;
  std::map<std::string, std::string> pages_;  // guarded by mutex_
  LoopbackListener listener_;
};

}  // namespace ws::test
