// Tells a service manager such as systemd how the server is.
#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <string_view>

#include "runtime/base/files.h"

namespace ws::server {

/// Where the manager listens, as it says in the environment.
struct ServiceSocket {
  std::string path;         ///< NOTIFY_SOCKET: a path, or @ and an abstract name; empty: nobody.
  std::string watchdog_us;  ///< WATCHDOG_USEC; empty: it expects no signs of life.
};

/// Any thread.
class ServiceManager {
 public:
  /// Without a manager, or one that cannot be reached, messages go nowhere.
  explicit ServiceManager(const ServiceSocket& socket);

  /// @param state  "READY=1", and further lines. Never blocks; what the manager does not take is
  ///               lost.
  /// @source sd_notify(3).
  void tell(std::string_view state) const;

  /// How often it gets WATCHDOG=1: so that one may be left out. Nothing: never.
  [[nodiscard]] std::optional<std::chrono::microseconds> beat() const { return beat_; }

 private:
  Fd socket_;
  std::optional<std::chrono::microseconds> beat_;
};

}  // namespace ws::server
