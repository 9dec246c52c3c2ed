#include "runtime/session/node_jobs.h"

#include <algorithm>
#include <map>
#include <mutex>
#include <optional>
#include <set>
#include <thread>
#include <utility>
#include <vector>

#include <nlohmann/json.hpp>

#include "runtime/base/client_key.h"
#include "runtime/base/clock.h"
#include "runtime/base/hash.h"
#include "runtime/base/log.h"
#include "runtime/base/viewer.h"
#include "runtime/queue/work_quotas.h"
#include "runtime/session/job_records.h"

namespace ws {
namespace {

using Json = nlohmann::json;

/// Without a notice all mirrored jobs are looked at after so long, should one have been lost.
constexpr std::chrono::milliseconds kLookAtAll{5000};
constexpr std::size_t kLookedAtOnce = 500;

constexpr const char* kGpuLane = "cuda";
constexpr const char* kCpuLane = "cpu";

/// The outcome of a job that has ended.
Result<std::string> outcome_of(const NodeJobView& view) {
  if (view.state == NodeJobState::kCancelled) {
    return fail(ErrorCode::kCancelled, "the job was cancelled");
  }
  if (view.state == NodeJobState::kLost) {
    return fail(ErrorCode::kDeviceLost,
                std::to_string(kNodeAttempts) + " nodes ended with the job, the last one was `" +
                    view.node + "`",
                "see why with `warpsmith nodes` and their logs, before it is called again");
  }
  const JobRow row{.id = view.id,
                   .tool = view.tool,
                   .status = std::string(name_of(view.state)),
                   .json = view.result,
                   .created_at = {}};
  WS_TRY(const Json output, recorded_outcome(row));
  return output.dump(-1, ' ', false, Json::error_handler_t::replace);
}

JobReport report_of(const NodeJobView& view) {
  JobReport report{
      .id = view.id,
      .state = view.state == NodeJobState::kRunning ? JobState::kRunning : JobState::kQueued,
      .progress = view.progress,
      .queue_position = static_cast<std::size_t>(view.position)};
  if (view.state != NodeJobState::kRunning && view.state != NodeJobState::kQueued) {
    report.outcome = outcome_of(view);
    report.state = view.state == NodeJobState::kDone        ? JobState::kDone
                   : view.state == NodeJobState::kCancelled ? JobState::kCancelled
                                                            : JobState::kFailed;
  }
  return report;
}

bool is_seen(const NodeJobView& view) {
  const Viewer& viewer = current_viewer();
  return viewer.sees_all || view.shares || view.owner == viewer.owner;
}

std::string key_of(const std::string& tool, const Json& arguments) {
  return sha256_hex(tool + "\n" + arguments.dump(-1, ' ', false, Json::error_handler_t::replace));
}

}  // namespace

class NodeJobs::Impl {
 public:
  Impl(std::unique_ptr<JobBroker> broker, JobQueue& queue)
      : broker_(std::move(broker)),
        queue_(queue),
        thread_([this](const std::stop_token& stop) { run(stop); }) {}

  JobBroker& broker() { return *broker_; }

  JobQueue& queue() { return queue_; }

  /// A job that this thread's viewer sees. @errors kNotFound.
  Result<NodeJobView> seen(const std::string& id);

  /// Makes the queue know the job, which the request's client wants.
  Result<JobTicket> mirror(const JobRequest& request);

  /// Jobs of a principal that are mirrored.
  std::size_t count(std::string_view principal);

  /// The lane of calls that name no device: that of the best ones that nodes have now.
  std::string default_lane();

 private:
  using Unwanted = std::stop_callback<std::function<void()>>;

  struct Mirror {
    std::set<std::string> clients;       ///< Those that the broker knows of from here.
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

  const std::unique_ptr<JobBroker> broker_;
  JobQueue& queue_;
  std::mutex mutex_;
  std::map<std::string, Mirror> mirrors_;  // guarded by mutex_
  std::set<std::string> unwanted_;         // guarded by mutex_
  std::stop_source wake_;                  // guarded by mutex_; ends the thread's wait
  std::string default_lane_;               // guarded by mutex_; empty: not known
  Clock::time_point default_lane_at_;      // guarded by mutex_
  std::jthread thread_;                    ///< The last member: it uses the others.
};

Result<NodeJobView> NodeJobs::Impl::seen(const std::string& id) {
  WS_TRY(std::vector<NodeJobView> views, broker_->look({id}));
  if (views.empty() || !is_seen(views.front())) {
    return fail(ErrorCode::kNotFound, "no job `" + id + "`",
                "finished jobs are kept for 24 h; call the tool again");
  }
  return std::move(views.front());
}

Result<JobTicket> NodeJobs::Impl::mirror(const JobRequest& request) {
  WS_TRY(MirroredJob mirrored, queue_.mirror(request));
  std::unique_ptr<Unwanted> unwanted;
  if (mirrored.is_new) {  // Not under the lock: it is called at once where it is so already.
    unwanted = std::make_unique<Unwanted>(mirrored.unwanted,
                                          [this, id = request.id] { note_unwanted(id); });
  }
  {
    const std::lock_guard lock(mutex_);
    Mirror& mirror = mirrors_[request.id];
    mirror.clients.insert(request.caller.client);
    if (unwanted) {
      mirror.unwanted = std::move(unwanted);
    }
  }
  look_at({request.id});  // It may have ended before it was known here.
  return mirrored.ticket;
}

std::size_t NodeJobs::Impl::count(std::string_view principal) {
  const std::lock_guard lock(mutex_);
  return static_cast<std::size_t>(
      std::count_if(mirrors_.begin(), mirrors_.end(), [&](const auto& mirror) {
        const std::set<std::string>& clients = mirror.second.clients;
        return !clients.empty() && principal_of(*clients.begin()) == principal;
      }));
}

std::string NodeJobs::Impl::default_lane() {
  {
    const std::lock_guard lock(mutex_);
    if (!default_lane_.empty() && Clock::now() - default_lane_at_ < kNodeBeat) {
      return default_lane_;
    }
  }
  const Result<std::vector<NodeRow>> nodes = broker_->nodes();
  const bool has_gpu =
      nodes && std::any_of(nodes->begin(), nodes->end(), [](const NodeRow& row) {
        const std::vector<std::string>& lanes = row.node.lanes;
        return row.lives && std::find(lanes.begin(), lanes.end(), kGpuLane) != lanes.end();
      });
  const std::lock_guard lock(mutex_);
  default_lane_ = has_gpu ? kGpuLane : kCpuLane;
  default_lane_at_ = Clock::now();
  return default_lane_;
}

void NodeJobs::Impl::report(const NodeJobView& view) {
  JobReport report = report_of(view);
  const bool over = report.outcome.has_value();
  queue_.report(std::move(report));
  if (over) {
    forget(view.id);
  }
}

void NodeJobs::Impl::forget(const std::string& id) {
  std::map<std::string, Mirror>::node_type gone;  // Its callback takes the lock: ended after that.
  const std::lock_guard lock(mutex_);
  gone = mirrors_.extract(id);
}

void NodeJobs::Impl::look_at(const std::vector<std::string>& ids) {
  const Result<std::vector<NodeJobView>> views = broker_->look(ids);
  if (!views) {
    return;  // The next look repairs it.
  }
  std::set<std::string> unknown(ids.begin(), ids.end());
  for (const NodeJobView& view : *views) {
    unknown.erase(view.id);
    report(view);
  }
  for (const std::string& id : unknown) {
    queue_.report({.id = id,
                   .state = JobState::kFailed,
                   .progress = {},
                   .outcome = fail(ErrorCode::kDeviceLost,
                                   "the job `" + id +
                                       "` is not known any "
                                       "more",
                                   "call the tool again")});
    forget(id);
  }
}

void NodeJobs::Impl::look_at_all() {
  std::vector<std::string> ids;
  {
    const std::lock_guard lock(mutex_);
    for (const auto& [id, mirror] : mirrors_) {
      ids.push_back(id);
    }
  }
  for (std::size_t at = 0; at < ids.size(); at += kLookedAtOnce) {
    const auto begin = ids.begin() + static_cast<std::ptrdiff_t>(at);
    const auto count = std::min(kLookedAtOnce, ids.size() - at);
    look_at({begin, begin + static_cast<std::ptrdiff_t>(count)});
  }
}

std::stop_token NodeJobs::Impl::next_wake() {
  const std::lock_guard lock(mutex_);
  if (wake_.stop_requested()) {
    wake_ = std::stop_source();
  }
  return wake_.get_token();
}

void NodeJobs::Impl::run(const std::stop_token& stop) {
  const std::stop_callback end(stop, [this] {
    const std::lock_guard lock(mutex_);
    wake_.request_stop();
  });
  auto looked = Clock::now();
  bool lost = false;
  while (!stop.stop_requested()) {
    const std::stop_token wake = next_wake();
    withdraw_unwanted();
    if (stop.stop_requested()) {
      return;
    }
    const Result<JobNews> news = broker_->wait(kLookAtAll, wake);
    if (!news) {
      if (!std::exchange(lost, true)) {
        log(LogLevel::kWarning, "nodes", "results come late: " + to_text(news.error()));
      }
      continue;
    }
    lost = false;
    std::vector<std::string> known;
    {
      const std::lock_guard lock(mutex_);
      std::copy_if(news->ids.begin(), news->ids.end(), std::back_inserter(known),
                   [&](const std::string& id) { return mirrors_.contains(id); });
    }
    if (news->missed || Clock::now() - looked >= kLookAtAll) {
      look_at_all();
      looked = Clock::now();
    } else if (!known.empty()) {
      look_at(known);
    }
  }
}

void NodeJobs::Impl::withdraw_unwanted() {
  std::set<std::string> ids;
  {
    const std::lock_guard lock(mutex_);
    ids.swap(unwanted_);
  }
  for (const std::string& id : ids) {
    withdraw(id);
  }
}

void NodeJobs::Impl::withdraw(const std::string& id) {
  std::vector<std::string> clients;
  {
    const std::lock_guard lock(mutex_);
    const auto at = mirrors_.find(id);
    if (at == mirrors_.end()) {
      return;
    }
    clients.assign(at->second.clients.begin(), at->second.clients.end());
  }
  const Result<Withdrawal> withdrawn = broker_->cancel(id, clients);
  if (!withdrawn) {
    log(LogLevel::kWarning, "nodes",
        "job=" + id + " runs on though nobody wants it: " + to_text(withdrawn.error()));
    return;
  }
  if (*withdrawn == Withdrawal::kStays) {
    queue_.drop(id);
    forget(id);
  } else if (*withdrawn != Withdrawal::kStopping) {
    look_at({id});
  }
}

NodeJobs::NodeJobs(std::unique_ptr<JobBroker> broker, JobQueue& queue)
    : impl_(std::make_unique<Impl>(std::move(broker), queue)) {}

NodeJobs::~NodeJobs() = default;

Result<JobTicket> NodeJobs::submit(const std::string& tool, const Json& arguments,
                                   const std::string& device, bool joins,
                                   const CallContext& context) {
  constexpr std::int64_t kMsInDay = std::int64_t{24} * 60 * 60 * 1000;
  constexpr std::size_t kIdDigits = 32;
  const std::string_view principal = principal_of(context.caller.client);
  WS_CHECK(
      work_quotas().admit(principal, kNodesLane, impl_->count(principal), unix_ms() / kMsInDay));
  const Viewer& viewer = current_viewer();
  const NodeJob job{
      .id = "job_" + random_hex(kIdDigits),
      .tool = tool,
      .arguments = arguments.dump(-1, ' ', false, Json::error_handler_t::replace),
      .lane = device.empty() ? impl_->default_lane() : device.substr(0, device.find(':')),
      .key = joins ? key_of(tool, arguments) : std::string(),
      .client = context.caller.client,
      .owner = viewer.owner,
      .shares = viewer.shares,
      .most_bytes = viewer.most_bytes,
      .background = context.caller.background};
  WS_TRY(const Submitted submitted, impl_->broker().submit(job));
  return impl_->mirror({.lanes = {kNodesLane},
                        .tool = tool,
                        .key = job.key,
                        .caller = context.caller,
                        .id = submitted.id});
}

Result<bool> NodeJobs::attach(const std::string& id, const std::string& client) {
  const Result<NodeJobView> view = impl_->seen(id);
  if (!view) {
    return view.error().code == ErrorCode::kNotFound ? Result<bool>(false)
                                                     : Result<bool>(fail(view.error()));
  }
  WS_CHECK(impl_->broker().want(id, client));
  const ViewerScope owner(
      view->owner.empty() ? nullptr
                          : std::make_shared<const Viewer>(Viewer{
                                .owner = view->owner, .sees_all = false, .shares = view->shares}));
  WS_TRY(const JobTicket ticket,
         impl_->mirror(
             {.lanes = {kNodesLane}, .tool = view->tool, .caller = {.client = client}, .id = id}));
  impl_->queue().hold(ticket, client);
  return true;
}

Result<JobSnapshot> NodeJobs::look(const std::string& id) {
  WS_TRY(const NodeJobView view, impl_->seen(id));
  JobReport report = report_of(view);
  return JobSnapshot{.id = id,
                     .tool = view.tool,
                     .state = report.state,
                     .progress = std::move(report.progress),
                     .queue_position = report.queue_position,
                     .eta_ms = std::nullopt,
                     .outcome = std::move(report.outcome),
                     .updated_ms = view.changed_ms};
}

}  // namespace ws
