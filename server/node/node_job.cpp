// One job of a node, from its claim to its end.
#include <memory>
#include <thread>
#include <utility>

#include <nlohmann/json.hpp>

#include "runtime/base/clock.h"
#include "runtime/base/log.h"
#include "runtime/base/viewer.h"
#include "runtime/session/job_records.h"
#include "server/node/node_worker.h"
#include "tools/answer/envelope.h"

namespace ws::server {
namespace {

using Json = nlohmann::json;

/// Steps of the work that follow each other faster are not told of one by one.
constexpr std::chrono::milliseconds kShortestGap{500};
/// Longer than any work: only its end, or the broker, ends a job.
constexpr std::chrono::hours kAsLongAsItTakes{24 * 7};
constexpr std::chrono::milliseconds kFinishAgain{500};

ViewerPtr viewer_of(const NodeClaim& claim, const WorkLease& lease) {
  return std::make_shared<const Viewer>(Viewer{.owner = claim.owner,
                                               .sees_all = claim.sees_all,
                                               .shares = claim.shares,
                                               .most_bytes = claim.most_bytes,
                                               .lease = lease});
}

/// Whether another attempt may end better.
bool may_end_otherwise(ErrorCode code) {
  return code == ErrorCode::kIo || code == ErrorCode::kBusy || code == ErrorCode::kDeviceLost;
}

/// Tells the broker how far a job is, but not too often.
ProgressFn progress_to(JobBroker& broker, const WorkLease& lease) {
  struct Told {
    std::mutex mutex;
    Clock::time_point at;
  };

  return [&broker, lease, told = std::make_shared<Told>()](const Progress& progress) {
    const std::lock_guard lock(told->mutex);
    const auto now = Clock::now();
    if (now - told->at < kShortestGap) {
      return;
    }
    told->at = now;
    if (const Status sent = broker.progress(lease, progress); !sent) {
      log(LogLevel::kDebug, "node", "job=" + lease.job + " " + to_text(sent.error()));
    }
  };
}

}  // namespace

Result<Json> NodeWorker::call_tool(const NodeClaim& claim, Running& job) {
  Json arguments = Json::parse(claim.arguments, nullptr, false);
  const ToolRegistry::Entry* const entry = tools_.find(claim.tool);
  if (entry == nullptr || !arguments.is_object() || !entry->input.check(arguments)) {
    return fail(ErrorCode::kUnsupported,
                "the node `" + node_.name + "`, which is warpsmith " + node_.version +
                    ", does not take these arguments of " + claim.tool,
                "run the same version on servers and nodes");
  }
  arguments["wait_ms"] = std::chrono::milliseconds(kAsLongAsItTakes).count();
  CallContext context{.request_id = claim.id,
                      .stop = job.stop.get_token(),
                      .progress = progress_to(broker_, job.lease),
                      .caller = {.client = claim.client, .background = claim.background}};
  return wait_to_end(services_, entry->tool->call(arguments, context), context);
}

void NodeWorker::run_job(Running& job, const NodeClaim& claim) {
  const ViewerScope viewer(viewer_of(claim, job.lease));
  const auto start = std::chrono::steady_clock::now();
  log(LogLevel::kInfo, "node",
      "job=" + claim.id + " tool=" + claim.tool + " attempt=" + std::to_string(claim.attempt));
  const Result<Json> outcome = call_tool(claim, job);
  finish(job, outcome, elapsed_ms(start));
  leave(claim.id);
}

void NodeWorker::finish(Running& job, const Result<Json>& outcome, double took_ms) {
  Ending ending = Ending::kNone;
  {
    const std::lock_guard lock(mutex_);
    ending = outcome ? Ending::kNone : job.ending;  // An answer that beat the end is the answer.
  }
  if (ending == Ending::kLost) {
    return;
  }
  const NodeFinish how = outcome                                   ? NodeFinish::kDone
                         : ending == Ending::kCancelled            ? NodeFinish::kCancelled
                         : ending == Ending::kGivenBack            ? NodeFinish::kGaveBack
                         : may_end_otherwise(outcome.error().code) ? NodeFinish::kTryAgain
                                                                   : NodeFinish::kFailed;
  note_end(job.lease.job, how);
  const std::string result =
      outcome_json(outcome).dump(-1, ' ', false, Json::error_handler_t::replace);
  for (;;) {
    const Result<bool> kept = broker_.finish(job.lease, how, result, took_ms);
    if (kept) {
      if (!*kept) {
        log(LogLevel::kWarning, "node",
            "job=" + job.lease.job + " was given to another node: its result is not kept");
      }
      return;
    }
    log(LogLevel::kWarning, "node",
        "job=" + job.lease.job + " is not finished: " + to_text(kept.error()));
    std::unique_lock lock(mutex_);
    if (stopped_ || changed_.wait_for(lock, kFinishAgain, [&] { return stopped_; })) {
      return;  // Its lease ends by itself.
    }
  }
}

}  // namespace ws::server
