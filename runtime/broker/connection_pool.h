// Connections to an archive's database for calls that must not wait for each other.
#pragma once

#include <condition_variable>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "runtime/archive/store/postgres_store.h"
#include "runtime/archive/store/sqlite.h"

namespace ws {

/// Any thread.
class ConnectionPool {
 public:
  ConnectionPool(std::string url, std::size_t most)
      : url_(std::move(url)),
        most_(most) {}

  /// Calls body(connection) with one that nobody uses meanwhile, which is made where there is none.
  /// Waits where all are in use. @errors As open_postgres(); those of `body`.
  template <typename Body>
  auto use(const Body& body) -> decltype(body(std::declval<Connection&>())) {
    WS_TRY(Connection connection, take());
    auto result = body(connection);
    give_back(std::move(connection));
    return result;
  }

 private:
  Result<Connection> take() {
    std::unique_lock lock(mutex_);
    free_.wait(lock, [&] { return !idle_.empty() || made_ < most_; });
    if (!idle_.empty()) {
      Connection connection = std::move(idle_.back());
      idle_.pop_back();
      return connection;
    }
    ++made_;
    lock.unlock();
    Result<Connection> connection = open_postgres(url_);
    if (!connection) {
      lock.lock();
      --made_;
      free_.notify_one();
    }
    return connection;
  }

  void give_back(Connection connection) {
    const std::lock_guard lock(mutex_);
    idle_.push_back(std::move(connection));
    free_.notify_one();
  }

  const std::string url_;
  const std::size_t most_;
  std::mutex mutex_;
  std::condition_variable free_;
  std::vector<Connection> idle_;  // guarded by mutex_
  std::size_t made_ = 0;          // guarded by mutex_; idle or in use
};

}  // namespace ws
