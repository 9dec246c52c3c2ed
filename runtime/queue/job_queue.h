// Jobs: detached pieces of work with a handle. Clients share each lane (one per device, one for
// compiles) fairly; one waits for a job, asks how far it is, or cancels it.
#pragma once

#include <cstdint>
#include <functional>
#include <list>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <stop_token>
#include <string>
#include <thread>
#include <vector>

#include "runtime/base/call_context.h"
#include "runtime/base/result.h"

namespace ws {

enum class JobState : std::uint8_t { kQueued, kRunning, kDone, kCancelled, kFailed };
/// "queued", "running", "done", "cancelled", "failed".
std::string_view name_of(JobState state);
/// True for the last three.
bool is_final(JobState state);
/// "waits behind 2 jobs"; "waits to start" behind none.
std::string place_in_line(std::size_t position);

/// The work: returns the tool's output as JSON text. `context.stop` is the job's own, not a call's.
using JobWork = std::function<Result<std::string>(CallContext& context)>;

struct JobSnapshot {
  std::string id;  ///< job_<32 hex>
  std::string tool;
  JobState state = JobState::kQueued;
  Progress progress;
  std::size_t queue_position = 0;  ///< Jobs before it as things stand; kQueued only.
  std::size_t waiters = 0;         ///< Calls that wait for it now.
  /// Until its end: from the progress so far, or from how long jobs of its tool, and of those
  /// before it, took on its lane. Nothing when that is not known.
  std::optional<double> eta_ms;
  std::optional<Result<std::string>> outcome;  ///< Set when final.
  bool server_stopped = false;                 ///< It ended because the server did.
  bool stopping = false;                       ///< It was told to stop.
  std::int64_t updated_ms = 0;  ///< When state or progress changed last, since the Unix epoch.
};

/// An unfinished job as those who operate the server see it.
struct OpenJob {
  JobSnapshot job;
  std::string lane;
  std::string
      client;  ///< The one that asked first; empty: the server itself, or one without a name.
  std::string request;  ///< The id of the request that it came with; may be empty.
  double age_s = 0;     ///< Since it was queued.
  double ran_s = 0;     ///< Since it was started; 0: it waits.
};

/// The jobs of one lane in numbers.
struct LaneState {
  std::string name;
  std::size_t queued = 0;
  std::size_t running = 0;
  double busy_s = 0;  ///< For how long at least one job ran there, since the queue was made.
};

struct JobRequest {
  std::vector<std::string> lanes;  ///< Any of them will do: the one that is free first.
  std::string tool;
  std::string key{};  ///< Equal keys are the same question; empty = never joined.
  Caller caller{};
  std::string id{};  ///< The id of a job of an earlier server; empty: a new one.
  /// On a lane whose jobs run alone it may run beside those with the same word; empty: beside none.
  std::string shares{};
};

/// One call's interest in a job.
struct JobTicket {
  std::string job;
  std::uint64_t number = 0;
};

/// A job that runs elsewhere, as it is told here.
struct JobReport {
  std::string id;
  JobState state = JobState::kQueued;
  Progress progress;
  std::size_t queue_position = 0;                ///< kQueued only.
  std::optional<Result<std::string>> outcome{};  ///< Set when final.
};

/// The result of JobQueue::mirror().
struct MirroredJob {
  JobTicket ticket;
  std::stop_token unwanted;  ///< Requested when nobody here wants the job any more.
  bool is_new = false;       ///< Nobody here wanted it: `unwanted` is another one than before.
};

class Watchers;

/// Work is done for the viewer (viewer.h) of the thread that asked for it, and a job of one that
/// does not share is unknown to others.
class JobQueue {
 public:
  struct LaneOptions {
    std::string name;
    std::size_t threads = 1;
    std::size_t capacity = 256;  ///< Queued jobs of one client; one more is refused as busy.
    bool alone = false;          ///< One job at a time, but for those that share.
  };

  /// Throws std::system_error where the system has too few threads to give.
  /// @param on_final  Called once per job when it has ended, from its lane's thread; may be empty.
  ///                  Its exceptions are logged, and the job still ends.
  JobQueue(std::vector<LaneOptions> lanes, std::function<void(const JobSnapshot&)> on_final);
  /// Cancels everything and waits for the lanes.
  ~JobQueue();
  JobQueue(const JobQueue&) = delete;
  JobQueue& operator=(const JobQueue&) = delete;

  /// Queues `work`, or joins an unfinished job with the same key on one of the lanes, of the same
  /// principal (viewer.h), which is in the background no more when the request is not. If several
  /// lanes are allowed, it waits in the one that should be free first, until another one is. `work`
  /// finds its lane in its context.
  ///
  /// @return  The job's id. @errors kBusy: the lane is full; kNotFound: no such lane.
  Result<std::string> submit(const JobRequest& request, JobWork work);

  /// On one lane, for the server itself.
  Result<std::string> submit(const std::string& lane, const std::string& tool,
                             const std::string& key, JobWork work) {
    return submit({.lanes = {lane}, .tool = tool, .key = key, .caller = {}, .id = {}},
                  std::move(work));
  }

  /// As submit(), and the job goes on only as long as somebody wants it: a call, until it leaves,
  /// or a client that holds it.
  Result<JobTicket> join(const JobRequest& request, JobWork work);

  /// As join(), of a job that runs elsewhere: report() says how it stands. It is on the request's
  /// lane, which needs no threads for it. A server that stops leaves it alone. One that nobody
  /// wanted, and that has not ended, is wanted again.
  /// @param request  With the job's id. @errors kBusy: the server is stopping; kNotFound.
  Result<MirroredJob> mirror(const JobRequest& request);

  /// Tells those that wait for a mirrored job how it stands. Nothing for one that is unknown or has
  /// ended.
  void report(JobReport report);

  /// Whether a mirrored job was told to end, and nobody here has wanted it since. False for one
  /// that is unknown or has ended.
  bool is_ending(const std::string& id);

  /// Drops a mirrored job that others still want elsewhere.
  /// @return  False: somebody here waits for it, holds it, or never told it to end.
  bool drop(const std::string& id);

  /// The call does not wait any more. Cancels the job if nobody else wants it.
  void leave(const JobTicket& ticket);

  /// The call does not wait any more, but its client has been told the job's id.
  void hold(const JobTicket& ticket, const std::string& client);

  /// The client has been told the job's id. Nothing for a job that has ended.
  void hold(const std::string& id, const std::string& client);

  /// The client does not want the job any more. Cancels it if nobody else wants it. @errors
  /// kNotFound.
  Result<JobSnapshot> release(const std::string& id, const std::string& client);

  /// Waits as wait() does, without a thread: `over` is called once, when wait() with no time left
  /// would return at once. Progress and `over` come from a thread that all share: they must not
  /// block. @errors kNotFound: `over` will not be called.
  Status watch(const std::string& id, std::chrono::milliseconds wait, const CallContext& context,
               std::function<void()> over);

  /// Calls `over` once, when `delay` has passed or `stop` is requested, as watch() does.
  void after(std::chrono::milliseconds delay, const std::stop_token& stop,
             std::function<void()> over);

  /// Waits until the job ends, `wait` has passed or `stop` is requested; reports progress through
  /// `context.progress` whenever it changes, and every ten seconds; of quick changes only the last,
  /// but each that is a result. As long as the job is queued its progress is its place in the line,
  /// looked at every two seconds. @errors kNotFound.
  Result<JobSnapshot> wait(const std::string& id, std::chrono::milliseconds wait,
                           const CallContext& context);

  /// @errors kNotFound: unknown, or ended and forgotten.
  Result<JobSnapshot> snapshot(const std::string& id);

  /// Removes a queued job, or asks a running one to stop (its worker is killed), even if others
  /// want it. Ended jobs stay.
  /// @errors kNotFound.
  Result<JobSnapshot> cancel(const std::string& id);

  /// Waiting and running jobs of a lane.
  std::size_t length(const std::string& lane);

  /// All lanes, by name. Costs nothing that grows with the jobs.
  std::vector<LaneState> lanes();

  /// Those that the viewer of this thread may know of, the oldest first.
  std::vector<OpenJob> open_jobs();

  /// Ends what is running, refuses what comes. May be called twice.
  void stop();

 private:
  struct Job;
  struct Lane;
  /// Stops everything and waits for the lanes' threads.
  void join_lanes();
  void lane_main(Lane& lane);
  /// Brings one job that waits in another lane, and may run on this one, here.
  bool adopt(Lane& lane);
  /// Waits for the job that this lane runs next. Null: the queue stops.
  std::shared_ptr<Job> take_next(Lane& lane, CallContext& context,
                                 std::unique_lock<std::mutex>& lock);
  /// In a span of the trace of the request that it came with.
  static Result<std::string> run_work(const Job& job, CallContext& context);
  void run(Lane& lane, Job& job, CallContext& context, std::unique_lock<std::mutex>& lock);
  void end_waiting(Lane& lane, std::unique_lock<std::mutex>& lock);
  /// The job's record is written before anybody is notified.
  void record(Job& job, JobState state, std::unique_lock<std::mutex>& lock);
  Result<std::vector<Lane*>> lanes_of(const JobRequest& request);
  /// An unfinished job that answers the request; null: there is none.
  [[nodiscard]] std::shared_ptr<Job> joined(const JobRequest& request,
                                            const std::vector<Lane*>& lanes) const;
  static void note_progress(Job& job, const Progress& progress);
  struct Heard;
  /// The reports for a waiter that has `heard` so much: results one by one, of the rest the newest.
  std::vector<Progress> reports_since(const Job& job, Heard& heard) const;
  Result<std::shared_ptr<Job>> place(const JobRequest& request, JobWork work);
  /// Everything of a new job but its work.
  static std::shared_ptr<Job> make_job(const JobRequest& request, Lane& lane);
  /// Removes it from its lane, or asks it to stop.
  void end(const std::shared_ptr<Job>& job, std::unique_lock<std::mutex>& lock);
  /// end(), where nobody wants it.
  void end_unwanted(const std::shared_ptr<Job>& job, std::unique_lock<std::mutex>& lock);
  /// The job has a new version: tells all that wait for it.
  void tell(Job& job);
  void finish(Job& job, JobState state, Result<std::string> outcome,
              std::unique_lock<std::mutex>& lock);
  void forget_old();
  [[nodiscard]] JobSnapshot snapshot_of(const Job& job) const;
  Result<std::shared_ptr<Job>> find(const std::string& id);

  using Jobs = std::map<std::string, std::shared_ptr<Job>>;

  std::function<void(const JobSnapshot&)> on_final_;
  std::mutex mutex_;
  Jobs jobs_;                                           // guarded by mutex_
  Jobs open_;                                           // guarded by mutex_; of jobs_, not ended
  std::list<std::string> ended_;                        // guarded by mutex_; oldest first
  std::map<std::string, std::unique_ptr<Lane>> lanes_;  // fixed after construction
  std::uint64_t tickets_ = 0;                           // guarded by mutex_
  bool stopping_ = false;                               // guarded by mutex_
  std::unique_ptr<Watchers> watchers_;                  // last: its thread uses the jobs
};

}  // namespace ws
