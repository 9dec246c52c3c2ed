#include "server/protocol/in_flight.h"

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

std::uint64_t SharedInFlight::add(const std::string& who, const Json& id, std::stop_source stop) {
  const std::lock_guard lock(mutex_);
  rows_[++last_] = {who + "\n" + to_line(id), std::move(stop)};
  return last_;
}

void SharedInFlight::cancel(const std::string& who, const Json& id) {
  const std::string key = who + "\n" + to_line(id);
  std::vector<std::stop_source> found;
  {
    const std::lock_guard lock(mutex_);
    for (const auto& [number, row] : rows_) {
      if (row.key == key) {
        found.push_back(row.stop);
      }
    }
  }
  if (found.size() == 1) {
    found.front().request_stop();  // Runs the stop callbacks, so not under the lock.
  }
}

void SharedInFlight::finish(std::uint64_t number) {
  const std::lock_guard lock(mutex_);
  rows_.erase(number);
}

SharedInFlight::Entry::Entry(SharedInFlight& rows, const std::string& who, const Json& id,
                             std::stop_source stop)
    : rows_(&rows),
      number_(rows.add(who, id, std::move(stop))) {}

void SharedInFlight::Entry::finish() {
  if (SharedInFlight* rows = std::exchange(rows_, nullptr)) {
    rows->finish(number_);
  }
}

}  // namespace ws
