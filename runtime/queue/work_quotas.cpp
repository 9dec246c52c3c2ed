#include "runtime/queue/work_quotas.h"

#include <functional>
#include <utility>

#include "runtime/base/clock.h"

namespace ws {

std::int64_t quota_day() {
  constexpr std::int64_t kMsInDay = std::int64_t{24} * 60 * 60 * 1000;
  return unix_ms() / kMsInDay;
}

void WorkQuotas::set(ByPrincipal quotas, ByLane works) {
  const std::lock_guard lock(mutex_);
  quotas_ = std::move(quotas);
  works_ = std::move(works);
}

std::optional<LaneWork> WorkQuotas::work_of(std::string_view lane) const {
  const auto at = works_.find(lane);
  return at == works_.end() ? std::nullopt : std::optional(at->second);
}

Status WorkQuotas::admit(std::string_view principal, std::string_view lane, std::size_t queued,
                         std::int64_t day) {
  const std::lock_guard lock(mutex_);
  auto row = rows_.find(principal);
  if (row == rows_.end()) {
    row = rows_.emplace(principal, Row{}).first;  // For charge().
  }
  auto quota = quotas_.find(principal);
  if (quota == quotas_.end()) {
    quota = quotas_.find(principal.substr(0, principal.find(':') + 1));
  }
  if (quota == quotas_.end()) {
    return {};
  }
  const std::string who = "the principal `" + std::string(principal) + "`";
  if (quota->second.queued_jobs && queued >= *quota->second.queued_jobs) {
    return fail(ErrorCode::kBusy,
                std::to_string(queued) + " jobs of " + who + " wait, as many as may",
                "call again when some of them have run");
  }
  const std::optional<LaneWork> work = work_of(lane);
  const bool compiles = work == LaneWork::kCompile;
  const auto& limit = compiles ? quota->second.compile_seconds : quota->second.device_seconds;
  if (work && limit && row->second.day == day &&
      row->second.today[static_cast<std::size_t>(*work)] >= *limit) {
    return fail(ErrorCode::kBusy,
                who + " has used the " + std::to_string(*limit) +
                    (compiles ? " compile" : " device") + " seconds that it has a day",
                "call again after 00:00 UTC, or ask the operator of the server for more");
  }
  return {};
}

void WorkQuotas::charge(std::string_view principal, std::string_view lane, double ms,
                        std::int64_t day) {
  const std::lock_guard lock(mutex_);
  const auto at = rows_.find(principal);
  const std::optional<LaneWork> work = work_of(lane);
  if (at == rows_.end() || !work) {
    return;
  }
  Row& row = at->second;
  if (row.day != day) {
    row.day = day;
    row.today[0] = row.today[1] = 0;
  }
  constexpr double kMsInSecond = 1000;
  const auto place = static_cast<std::size_t>(*work);
  row.today[place] += ms / kMsInSecond;
  row.all[place] += ms / kMsInSecond;
}

std::vector<WorkUse> WorkQuotas::uses() const {
  const std::lock_guard lock(mutex_);
  std::vector<WorkUse> uses;
  for (const auto& [principal, row] : rows_) {
    uses.push_back({.principal = principal,
                    .compile_s = row.all[static_cast<std::size_t>(LaneWork::kCompile)],
                    .device_s = row.all[static_cast<std::size_t>(LaneWork::kDevice)]});
  }
  return uses;
}

WorkQuotas& work_quotas() {
  static WorkQuotas quotas;
  return quotas;
}

}  // namespace ws
