// How much work each principal has had, and how much it may have, in the queues of this process.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "runtime/base/result.h"

namespace ws {

/// The work that a lane's jobs do, as quotas count it. Jobs that wait for other jobs do none.
enum class LaneWork : std::uint8_t { kCompile, kDevice };

/// How much work the clients of one principal may ask for. Nothing: as much as they want.
struct WorkQuota {
  std::optional<std::size_t> queued_jobs{};  ///< Jobs that wait, in all lanes.
  std::optional<int> compile_seconds{};      ///< A day, from 00:00 UTC; counted when a job ends.
  std::optional<int> device_seconds{};       ///< The same.
};

/// The work that one principal has had.
struct WorkUse {
  std::string principal;
  double compile_s = 0;
  double device_s = 0;
};

/// Days since the Unix epoch, which begin at 00:00 UTC.
std::int64_t quota_day();

/// Any thread.
class WorkQuotas {
 public:
  using ByPrincipal = std::map<std::string, WorkQuota, std::less<>>;
  using ByLane = std::map<std::string, LaneWork, std::less<>>;

  /// In the place of all that were set before. The work that was used stays.
  /// @param quotas  By the names of principals (client_key.h); "KIND:" is that of each "KIND:NAME"
  /// without one of its own. @param works  By the names of lanes;
  /// jobs of others are not counted.
  void set(ByPrincipal quotas, ByLane works);

  /// Whether another job of the principal may wait there.
  /// @param queued  How many do, in all lanes. @param day  Since the Unix epoch.
  /// @errors kBusy: the quota is used up.
  Status admit(std::string_view principal, std::string_view lane, std::size_t queued,
               std::int64_t day);

  /// A job of a principal that was admitted has run. Takes no memory.
  void charge(std::string_view principal, std::string_view lane, double ms, std::int64_t day);

  /// All principals that were admitted, by name.
  [[nodiscard]] std::vector<WorkUse> uses() const;

 private:
  /// By LaneWork.
  using Seconds = double[2];

  struct Row {
    std::int64_t day = 0;
    Seconds today{};
    Seconds all{};
  };

  [[nodiscard]] std::optional<LaneWork> work_of(std::string_view lane) const;

  mutable std::mutex mutex_;
  ByPrincipal quotas_;                            // guarded by mutex_
  ByLane works_;                                  // guarded by mutex_
  std::map<std::string, Row, std::less<>> rows_;  // guarded by mutex_
};

/// Those of this process.
WorkQuotas& work_quotas();

}  // namespace ws
