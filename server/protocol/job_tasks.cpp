#include "server/protocol/job_tasks.h"

namespace ws::server {
namespace {

constexpr int kPollMs = 1000;
/// A job can be asked for at least so long.
constexpr int kKeptMs = 24 * 60 * 60 * 1000;
constexpr std::size_t kMaxMarks = 4096;

std::string status_of(const JobStanding& job, bool modern) {
  if (!job.is_over()) {
    return "working";
  }
  if (job.status == "cancelled") {
    return "cancelled";
  }
  // An error of the tool is a result of the extension's tasks; the older ones count it as a
  // failure.
  const bool failed = job.status == "interrupted" || (job.status == "failed" && !modern);
  return failed ? "failed" : "completed";
}

Json task_of(const JobStanding& job, bool modern) {
  return {{"taskId", job.id},
          {"status", status_of(job, modern)},
          {"statusMessage", job.tool + ": " + job.message},
          {"createdAt", job.created_at},
          {"lastUpdatedAt", job.updated_at},
          {modern ? "ttlMs" : "ttl", kKeptMs},
          {modern ? "pollIntervalMs" : "pollInterval", kPollMs}};
}

}  // namespace

Json older_task(const JobStanding& job) {
  return task_of(job, false);
}

Json modern_task(const JobStanding& job) {
  return task_of(job, true);
}

Json older_tasks_capability() {
  return {{"tasks",
           {{"list", Json::object()},
            {"cancel", Json::object()},
            {"requests", {{"tools", {{"call", Json::object()}}}}}}}};
}

void TaskMarks::add(const std::string& client, const std::string& task) {
  const std::lock_guard lock(mutex_);
  const std::string mark = client + "\n" + task;
  if (!marks_.insert(mark).second) {
    return;
  }
  in_order_.push_back(mark);
  if (in_order_.size() > kMaxMarks) {
    marks_.erase(in_order_.front());
    in_order_.pop_front();
  }
}

bool TaskMarks::has(const std::string& client, const std::string& task) const {
  const std::lock_guard lock(mutex_);
  return marks_.contains(client + "\n" + task);
}

}  // namespace ws::server
