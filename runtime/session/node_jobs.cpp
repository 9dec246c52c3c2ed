#include "runtime/session/node_jobs.h"

#include <algorithm>
#include <mutex>
#include <utility>
#include <vector>

#include <nlohmann/json.hpp>

#include "runtime/base/client_key.h"
#include "runtime/base/clock.h"
#include "runtime/base/hash.h"
#include "runtime/base/viewer.h"
#include "runtime/queue/work_quotas.h"
#include "runtime/session/job_mirrors.h"
#include "runtime/session/node_job_report.h"

namespace ws {
namespace {

using Json = nlohmann::json;

constexpr const char* kGpuLane = "cuda";
constexpr const char* kCpuLane = "cpu";

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
  Impl(std::unique_ptr<JobBroker> jobs, JobQueue& mirrored)
      : broker(std::move(jobs)),
        queue(mirrored),
        mirrors(*broker, queue) {}

  /// A job that this thread's viewer sees. @errors kNotFound.
  Result<NodeJobView> seen(const std::string& id);

  /// The lane of calls that name no device: that of the best ones that nodes have now.
  std::string default_lane();

  const std::unique_ptr<JobBroker> broker;
  JobQueue& queue;
  JobMirrors mirrors;

 private:
  std::mutex mutex_;
  std::string lane_;           // guarded by mutex_; empty: not known
  Clock::time_point lane_at_;  // guarded by mutex_
};

Result<NodeJobView> NodeJobs::Impl::seen(const std::string& id) {
  WS_TRY(std::vector<NodeJobView> views, broker->look({id}));
  if (views.empty() || !is_seen(views.front())) {
    return fail(ErrorCode::kNotFound, "no job `" + id + "`",
                "finished jobs are kept for 24 h; call the tool again");
  }
  return std::move(views.front());
}

std::string NodeJobs::Impl::default_lane() {
  {
    const std::lock_guard lock(mutex_);
    if (!lane_.empty() && Clock::now() - lane_at_ < kNodeBeat) {
      return lane_;
    }
  }
  const Result<std::vector<NodeRow>> nodes = broker->nodes();
  const bool has_gpu =
      nodes && std::any_of(nodes->begin(), nodes->end(), [](const NodeRow& row) {
        const std::vector<std::string>& lanes = row.node.lanes;
        return row.lives && std::find(lanes.begin(), lanes.end(), kGpuLane) != lanes.end();
      });
  const std::lock_guard lock(mutex_);
  lane_ = has_gpu ? kGpuLane : kCpuLane;
  lane_at_ = Clock::now();
  return lane_;
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
  WS_CHECK(work_quotas().admit(principal, kNodesLane, impl_->mirrors.count(principal),
                               unix_ms() / kMsInDay));
  const Viewer& viewer = current_viewer();
  const NodeJob job{
      .id = "job_" + random_hex(kIdDigits),
      .tool = tool,
      .arguments = arguments.dump(-1, ' ', false, Json::error_handler_t::replace),
      .lane = device.empty() ? impl_->default_lane() : device.substr(0, device.find(':')),
      .key = joins ? key_of(tool, arguments) : std::string(),
      .client = context.caller.client,
      .owner = viewer.owner,
      .sees_all = viewer.sees_all,
      .shares = viewer.shares,
      .most_bytes = viewer.most_bytes,
      .background = context.caller.background};
  return impl_->mirrors.mirror(
      {.lanes = {kNodesLane}, .tool = tool, .key = job.key, .caller = context.caller},
      [&]() -> Result<std::string> {
        WS_TRY(Submitted submitted, impl_->broker->submit(job));
        return std::move(submitted.id);
      });
}

Result<bool> NodeJobs::attach(const std::string& id, const std::string& client) {
  const Result<NodeJobView> view = impl_->seen(id);
  if (!view) {
    return view.error().code == ErrorCode::kNotFound ? Result<bool>(false)
                                                     : Result<bool>(fail(view.error()));
  }
  const ViewerScope owner(
      view->owner.empty() ? nullptr
                          : std::make_shared<const Viewer>(Viewer{
                                .owner = view->owner, .sees_all = false, .shares = view->shares}));
  WS_TRY(const JobTicket ticket,
         impl_->mirrors.mirror(
             {.lanes = {kNodesLane}, .tool = view->tool, .caller = {.client = client}},
             [&]() -> Result<std::string> {
               WS_CHECK(impl_->broker->want(id, client));
               return id;
             }));
  impl_->queue.hold(ticket, client);
  return true;
}

Result<std::optional<JobSnapshot>> NodeJobs::cancel(const std::string& id,
                                                    const std::string& client) {
  Result<JobSnapshot> job = look(id);
  if (!job) {
    return job.error().code == ErrorCode::kNotFound
               ? Result<std::optional<JobSnapshot>>(std::nullopt)
               : Result<std::optional<JobSnapshot>>(fail(job.error()));
  }
  const Result<JobSnapshot> here = impl_->queue.release(id, client);
  const bool wanted_here = here && !here->outcome && !here->stopping;
  WS_TRY(const Withdrawal withdrawn, impl_->broker->cancel(id, client, wanted_here));
  if (withdrawn == Withdrawal::kOver) {
    WS_TRY(JobSnapshot ended, look(id));
    return std::optional(std::move(ended));
  }
  job->stopping = withdrawn != Withdrawal::kStays;
  return std::optional(*std::move(job));
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
