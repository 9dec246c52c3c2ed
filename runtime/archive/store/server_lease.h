// The servers that use an archive in a database, on whatever machine. Each says every ten seconds
// that it lives; one that has not for thirty, by the clock of the database, is gone.
#pragma once

#include <condition_variable>
#include <memory>
#include <mutex>
#include <string>
#include <thread>

#include "runtime/archive/store/shared_connection.h"
#include "runtime/base/result.h"

namespace ws {

/// This process's lease. Any thread.
class ServerLease {
 public:
  /// @param id  As of Instance. @errors As open_postgres().
  static Result<std::unique_ptr<ServerLease>> begin(const std::string& url, const std::string& id);

  ServerLease(const ServerLease&) = delete;
  ServerLease& operator=(const ServerLease&) = delete;
  /// Ends the lease.
  ~ServerLease();

  /// Whether the server with that lease lives. True where the database does not say: nobody is to
  /// take over its jobs then.
  [[nodiscard]] bool lives(const std::string& id);

 private:
  ServerLease(std::unique_ptr<SharedConnection> connection, std::string id);
  Status beat();
  void run(const std::stop_token& stop);

  std::unique_ptr<SharedConnection> connection_;
  const std::string id_;
  std::mutex mutex_;
  std::condition_variable_any stopped_;
  std::jthread thread_;  ///< The last member: it uses the others.
};

}  // namespace ws
