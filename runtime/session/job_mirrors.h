// The mirrors that a server's queue has of jobs of the broker, kept as the broker says.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <set>
#include <stop_token>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "runtime/broker/job_broker.h"
#include "runtime/queue/job_queue.h"

namespace ws {

/// Any thread.
class JobMirrors {
 public:
  /// Both outlive it.
  JobMirrors(JobBroker& broker, JobQueue& queue)
      : broker_(broker),
        queue_(queue),
        thread_([this](const std::stop_token& stop) { run(stop); }) {}

  /// Makes the queue know the job, which the request's client wants.
  Result<JobTicket> mirror(const JobRequest& request);

  /// Jobs of a principal that are mirrored.
  std::size_t count(std::string_view principal);

 private:
  using Unwanted = std::stop_callback<std::function<void()>>;

  struct Mirror {
    std::string client;                  ///< The first one that wanted it.
    std::unique_ptr<Unwanted> unwanted;  ///< Called when nobody here wants the job any more.
  };

  /// The queue calls it, and must not wait: the thread does the rest.
  void note_unwanted(const std::string& id) {
    const std::lock_guard lock(mutex_);
    unwanted_.insert(id);
    wake_.request_stop();
  }

  void run(const std::stop_token& stop);
  std::stop_token next_wake();
  void withdraw_unwanted();
  void withdraw(const std::string& id);
  /// Reports how jobs stand. Any thread.
  void look_at(const std::vector<std::string>& ids);
  void look_at_all();
  void report(const NodeJobView& view);
  void forget(const std::string& id);

  JobBroker& broker_;
  JobQueue& queue_;
  std::mutex mutex_;
  std::map<std::string, Mirror> mirrors_;  // guarded by mutex_
  std::set<std::string> unwanted_;         // guarded by mutex_
  std::stop_source wake_;                  // guarded by mutex_; ends the thread's wait
  std::jthread thread_;                    ///< The last member: it uses the others.
};

}  // namespace ws
