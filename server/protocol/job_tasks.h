// The jobs of the tools as tasks: the forms of both protocol eras.
#pragma once

#include <deque>
#include <mutex>
#include <set>
#include <string>

#include "server/protocol/protocol.h"
#include "tools/job_book.h"

namespace ws::server {

/// The task as 2025-11-25 has it.
Json older_task(const JobStanding& job);

/// The same as the extension io.modelcontextprotocol/tasks has it, without result or error.
Json modern_task(const JobStanding& job);

/// The capability of a server of 2025-11-25 that has tasks: {"tasks": {...}}.
Json older_tasks_capability();

/// Tasks that their clients have cancelled, though their jobs go on for others. The oldest of
/// thousands are forgotten. Any thread.
class TaskMarks {
 public:
  void add(const std::string& client, const std::string& task);
  [[nodiscard]] bool has(const std::string& client, const std::string& task) const;

 private:
  mutable std::mutex mutex_;
  std::set<std::string> marks_;       // guarded by mutex_
  std::deque<std::string> in_order_;  // guarded by mutex_; the oldest first
};

}  // namespace ws::server
