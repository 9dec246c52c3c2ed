#include "runtime/queue/queue_changes.h"

namespace ws {

void QueueChanges::note() {
  const std::lock_guard lock(mutex_);
  ++changes_;
  noted_.notify_all();
}

std::uint64_t QueueChanges::wait(std::uint64_t seen, const std::stop_token& stop) {
  std::unique_lock lock(mutex_);
  noted_.wait(lock, stop, [&] { return changes_ != seen; });
  return changes_;
}

QueueChanges& queue_changes() {
  static QueueChanges changes;
  return changes;
}

}  // namespace ws
