// Counts the callers that want a job: calls that wait for it, and clients that know its id. The
// last one that leaves takes the job along.
#include "runtime/queue/job_lane.h"
#include "runtime/queue/job_queue.h"

namespace ws {

Result<JobTicket> JobQueue::join(const JobRequest& request, JobWork work) {
  const std::lock_guard lock(mutex_);
  WS_TRY(const std::shared_ptr<Job> job, place(request, std::move(work)));
  job->tickets.insert(++tickets_);
  return JobTicket{job->id, tickets_};
}

void JobQueue::end_unwanted(const std::shared_ptr<Job>& job, std::unique_lock<std::mutex>& lock) {
  if (!job->is_wanted() && !job->outcome && !job->is_ending()) {
    end(job, lock);
  }
}

void JobQueue::leave(const JobTicket& ticket) {
  std::unique_lock lock(mutex_);
  const auto at = jobs_.find(ticket.job);
  if (at == jobs_.end()) {
    return;
  }
  const std::shared_ptr<Job> job = at->second;
  job->tickets.erase(ticket.number);
  end_unwanted(job, lock);
}

void JobQueue::hold(const JobTicket& ticket, const std::string& client) {
  const std::lock_guard lock(mutex_);
  if (const auto at = jobs_.find(ticket.job); at != jobs_.end()) {
    at->second->holders.insert(client);
    at->second->tickets.erase(ticket.number);
  }
}

void JobQueue::hold(const std::string& id, const std::string& client) {
  hold(JobTicket{id, 0}, client);
}

Result<JobSnapshot> JobQueue::release(const std::string& id, const std::string& client) {
  std::unique_lock lock(mutex_);
  WS_TRY(const std::shared_ptr<Job> job, find(id));
  job->holders.erase(client);
  end_unwanted(job, lock);
  return snapshot_of(*job);
}

}  // namespace ws
