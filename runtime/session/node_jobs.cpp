#include "runtime/session/node_jobs.h"

#include <utility>
#include <vector>

#include <nlohmann/json.hpp>

#include "runtime/base/client_key.h"
#include "runtime/base/hash.h"
#include "runtime/base/viewer.h"
#include "runtime/broker/pg_broker.h"
#include "runtime/queue/work_quotas.h"
#include "runtime/session/job_mirrors.h"
#include "runtime/session/node_devices.h"
#include "runtime/session/node_job_report.h"

namespace ws {
namespace {

using Json = nlohmann::json;

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
        mirrors(*broker, queue),
        devices(*broker) {}

  /// A job that this thread's viewer sees. @errors kNotFound.
  Result<NodeJobView> seen(const std::string& id);

  const std::unique_ptr<JobBroker> broker;
  JobQueue& queue;
  JobMirrors mirrors;
  NodeDevices devices;
};

Result<NodeJobView> NodeJobs::Impl::seen(const std::string& id) {
  WS_TRY(std::vector<NodeJobView> views, broker->look({id}));
  if (views.empty() || !is_seen(views.front())) {
    return fail(ErrorCode::kNotFound, "no job `" + id + "`",
                "finished jobs are kept for 24 h; call the tool again");
  }
  return std::move(views.front());
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
  WS_TRY(const std::string lane, impl_->devices.lane_of(device));
  const Viewer& viewer = current_viewer();
  const bool resumed = !context.job_id.empty();
  const NodeJob job{.id = resumed ? context.job_id : "job_" + random_hex(kIdDigits),
                    .tool = tool,
                    .arguments = arguments.dump(-1, ' ', false, Json::error_handler_t::replace),
                    .lane = lane,
                    .key = joins && !resumed ? key_of(tool, arguments) : std::string(),
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
  WS_TRY(const Withdrawal withdrawn, impl_->mirrors.cancel(id, client));
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

Result<std::vector<OfferedDevice>> NodeJobs::devices(const std::string& device) {
  if (!device.empty()) {
    WS_TRY([[maybe_unused]] const std::string lane, impl_->devices.lane_of(device));
  }
  WS_TRY(std::vector<OfferedDevice> devices, impl_->devices.ask());
  std::erase_if(devices,
                [&](const OfferedDevice& one) { return !device.empty() && one.id != device; });
  return devices;
}

Result<std::string> NodeJobs::default_device() {
  WS_TRY(const std::string lane, impl_->devices.lane_of({}));
  return lane + ":0";
}

Result<bool> nodes_have(const std::string& store, const std::string& id) {
  if (store.empty()) {
    return false;
  }
  WS_TRY(const std::vector<NodeJobView> views, PgBroker(store, 1).look({id}));
  return !views.empty();
}

}  // namespace ws
