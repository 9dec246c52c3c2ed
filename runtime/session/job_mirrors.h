// The mirrors that a server's queue has of jobs of the broker, kept as the broker says.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <set>
#include <shared_mutex>
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

  /// Makes the broker and the queue know that the request's client wants a job.
  /// @param request  Without the job's id. @param want  Tells the broker; its result is the id.
  /// @errors Those of `want`; kBusy: the server is stopping.
  Result<JobTicket> mirror(JobRequest request, const std::function<Result<std::string>()>& want);

  /// The client does not want the job any more, whichever servers it asked. @errors Those of
  /// JobBroker::cancel().
  Result<Withdrawal> cancel(const std::string& id, const std::string& client);

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

  /// mirror(), without looking how the job stands. One that has its turn is not withdrawn
  /// meanwhile.
  Result<JobTicket> add(JobRequest& request, const std::function<Result<std::string>()>& want);
  void run(const std::stop_token& stop);
  std::stop_token next_wake();
  void withdraw_unwanted();
  /// Tells the broker that nobody here wants the job, unless somebody does again.
  void withdraw(const std::string& id);
  /// withdraw(), in its turn. @return  Whether the job ended, or is unknown: it has to be looked
  /// at.
  Result<bool> take_back(const std::string& id);
  /// Reports how jobs stand. Any thread.
  void look_at(const std::vector<std::string>& ids);
  void look_at_all();
  void report(const NodeJobView& view);
  void forget(const std::string& id);

  JobBroker& broker_;
  JobQueue& queue_;
  // Calls that begin to want a job share the room, and a withdrawal has it for itself: it would
  // take back theirs, too. It waits at the door, which no later call passes before it.
  std::mutex door_;
  std::shared_mutex room_;
  std::mutex mutex_;
  std::map<std::string, Mirror> mirrors_;  // guarded by mutex_
  std::set<std::string> unwanted_;         // guarded by mutex_
  std::stop_source wake_;                  // guarded by mutex_; ends the thread's wait
  std::jthread thread_;                    ///< The last member: it uses the others.
};

}  // namespace ws
