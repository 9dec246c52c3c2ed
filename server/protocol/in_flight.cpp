#include "server/protocol/in_flight.h"

#include <utility>
#include <vector>

#include "runtime/base/no_memory.h"

namespace ws::server {

std::shared_ptr<InFlight::Entry> InFlight::add(const Json& id, std::stop_source stop) {
  auto entry = std::make_shared<Entry>();
  const std::lock_guard lock(mutex_);
  const auto [row, fresh] = rows_.try_emplace(to_line(id), Row{std::move(stop), false});
  if (!fresh) {
    return nullptr;
  }
  entry->requests_ = this;
  entry->row_ = row;
  return entry;
}

bool InFlight::Entry::finish() {
  InFlight* const requests = std::exchange(requests_, nullptr);
  if (requests == nullptr) {
    return true;
  }
  const std::lock_guard lock(requests->mutex_);
  const bool cancelled = row_->second.cancelled;
  requests->rows_.erase(row_);
  return !cancelled;
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

void InFlight::stop_all() {
  std::vector<std::stop_source> all;
  {
    std::unique_lock lock(mutex_);
    surely(
        [&] {
          all.clear();
          all.reserve(rows_.size());
          for (auto& [id, row] : rows_) {
            all.push_back(row.stop);
          }
        },
        &lock);
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

}  // namespace ws::server
