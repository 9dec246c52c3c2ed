#include "server/in_flight.h"

#include <utility>
#include <vector>

namespace ws {

bool InFlight::add(const Json& id, std::stop_source stop) {
  const std::lock_guard lock(mutex_);
  return rows_.try_emplace(to_line(id), Row{std::move(stop), false}).second;
}

void InFlight::cancel(const Json& id) {
  std::stop_source stop(std::nostopstate);
  {
    const std::lock_guard lock(mutex_);
    const auto row = rows_.find(to_line(id));
    if (row == rows_.end()) {
      return;
    }
    row->second.cancelled = true;
    stop = row->second.stop;
  }
  stop.request_stop();  // Runs the stop callbacks, so not under the lock.
}

bool InFlight::finish(const Json& id) {
  const std::lock_guard lock(mutex_);
  const auto row = rows_.find(to_line(id));
  if (row == rows_.end()) {
    return true;
  }
  const bool cancelled = row->second.cancelled;
  rows_.erase(row);
  return !cancelled;
}

void InFlight::stop_all() {
  std::vector<std::stop_source> all;
  {
    const std::lock_guard lock(mutex_);
    for (auto& [id, row] : rows_) {
      all.push_back(row.stop);
    }
  }
  for (std::stop_source& stop : all) {
    stop.request_stop();
  }
}

}  // namespace ws
