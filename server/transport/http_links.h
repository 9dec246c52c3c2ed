// The connections of a server: by number, by address, and by when they have waited long enough.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "server/transport/http_link.h"

namespace ws::server {

/// One thread.
class HttpLinks {
 public:
  /// @param id  Not 0.
  HttpLink& add(std::uint64_t id, std::unique_ptr<HttpLink> link);
  void remove(std::uint64_t id);

  /// Null: it is gone.
  [[nodiscard]] HttpLink* find(std::uint64_t id) const;

  /// Call this after a link's state has changed. True: the events that it wants have changed too.
  bool settle(std::uint64_t id);

  [[nodiscard]] std::size_t size() const { return links_.size(); }

  /// The connections of one address.
  [[nodiscard]] std::size_t count(const std::string& address) const;

  /// The far future where there are none.
  [[nodiscard]] Clock::time_point next_deadline() const;

  /// The connection that it belongs to.
  [[nodiscard]] std::uint64_t first_due() const { return timers_.begin()->second; }

  /// The link that has waited longest without sending complete headers. 0: there is none.
  /// @param address  Null: of any.
  [[nodiscard]] std::uint64_t oldest_spare(const std::string* address) const;

  [[nodiscard]] std::vector<std::uint64_t> spare() const;
  [[nodiscard]] std::vector<std::uint64_t> all() const;

 private:
  struct Entry {
    std::unique_ptr<HttpLink> link;
    std::uint32_t interest = 0;
    Clock::time_point timer{};  ///< Its place in timers_.
  };

  std::unordered_map<std::uint64_t, Entry> links_;
  std::map<std::string, std::size_t> addresses_;  // how many of links_
  std::set<std::pair<Clock::time_point, std::uint64_t>> timers_;
};

}  // namespace ws::server
