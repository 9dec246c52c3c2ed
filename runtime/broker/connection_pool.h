// Connections to an archive's database for calls that must not wait for each other.
#pragma once

#include <chrono>
#include <condition_variable>
#include <mutex>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "runtime/archive/store/postgres_store.h"
#include "runtime/archive/store/sqlite.h"

namespace ws {

/// Any thread.
class ConnectionPool {
 public:
  static constexpr std::chrono::milliseconds kPatience{10'000};

  /// @param patience  So long a call waits for a connection where all are in use.
  ConnectionPool(std::string url, std::size_t most, std::chrono::milliseconds patience = kPatience)
      : url_(std::move(url)),
        most_(most),
        patience_(patience) {}

  /// Calls body(connection) with one that nobody uses meanwhile, which is made where there is none.
  /// @errors As open_postgres(); kBusy: all are in use; those of `body`.
  template <typename Body>
  auto use(const Body& body) -> decltype(body(std::declval<Connection&>())) {
    Place place(*this);
    WS_CHECK(place.take());
    return body(*place.connection);
  }

 private:
  /// One of the connections that there may be. It is free again at the end, whatever that is.
  struct Place {
    explicit Place(ConnectionPool& own)
        : pool(own) {}

    Place(const Place&) = delete;
    Place& operator=(const Place&) = delete;

    ~Place() {
      if (!taken) {
        return;
      }
      const std::lock_guard lock(pool.mutex_);
      --pool.used_;
      if (connection) {
        pool.idle_.push_back(*std::move(connection));  // It has room: see take().
      }
      pool.free_.notify_one();
    }

    Status take() {
      {
        std::unique_lock lock(pool.mutex_);
        pool.idle_.reserve(pool.most_);
        if (!pool.free_.wait_for(lock, pool.patience_, [&] { return pool.used_ < pool.most_; })) {
          return fail(ErrorCode::kBusy, "all connections to the database are in use", "try again");
        }
        ++pool.used_;
        taken = true;
        if (!pool.idle_.empty()) {
          connection = std::move(pool.idle_.back());
          pool.idle_.pop_back();
          return {};
        }
      }
      WS_TRY(connection, open_postgres(pool.url_));
      return {};
    }

    ConnectionPool& pool;
    std::optional<Connection> connection;
    bool taken = false;
  };

  const std::string url_;
  const std::size_t most_;
  const std::chrono::milliseconds patience_;
  std::mutex mutex_;
  std::condition_variable free_;
  std::vector<Connection> idle_;  // guarded by mutex_
  std::size_t used_ = 0;          // guarded by mutex_
};

}  // namespace ws
