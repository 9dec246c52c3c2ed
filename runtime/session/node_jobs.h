// Calls that nodes make for this server: submitted to the broker, and mirrored in the server's own
// queue, which tells those that wait how they stand.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include "runtime/base/call_context.h"
#include "runtime/broker/job_broker.h"
#include "runtime/queue/job_queue.h"

namespace ws {

/// The lane of mirrored jobs.
inline constexpr const char* kNodesLane = "nodes";

/// Any thread.
class NodeJobs {
 public:
  /// @param queue  It has the lane kNodesLane, and outlives this.
  NodeJobs(std::unique_ptr<JobBroker> broker, JobQueue& queue);
  NodeJobs(const NodeJobs&) = delete;
  NodeJobs& operator=(const NodeJobs&) = delete;
  ~NodeJobs();

  /// Submits a tool's call, for the viewer of this thread.
  /// @param arguments  Without the time that the caller waits. @param device  As the call names it;
  /// empty: the best that nodes have. @param joins  An unfinished job with the same question will
  /// do. @param context  With the id of a job of an earlier server that goes on, where it is one.
  /// @errors kBusy: the principal's quota is used up, or the broker is busy; kNotFound: nodes have
  /// no such device; kIo.
  Result<JobTicket> submit(const std::string& tool, const nlohmann::json& arguments,
                           const std::string& device, bool joins, const CallContext& context);

  /// Makes this server's queue know a job of another one, which the client wants from now on.
  /// @return  False: the broker does not know it, or this thread's viewer does not see it.
  Result<bool> attach(const std::string& id, const std::string& client);

  /// The client does not want the job any more, whichever servers it asked.
  /// @return  The job as it stands then: `stopping` where it was told to end, which it does when
  /// nobody wants it. Nothing: as attach() says.
  Result<std::optional<JobSnapshot>> cancel(const std::string& id, const std::string& client);

  /// The devices of nodes that live, by name. @param device  Only this one; empty: all.
  /// @errors kNotFound: nodes have no such device; those of the broker.
  Result<std::vector<OfferedDevice>> devices(const std::string& device);

  /// The device of calls that name none, among those of nodes that live: one with its kind does
  /// them.
  Result<std::string> default_device();

  /// How a job stands, without making the queue know it. @errors kNotFound: as attach() says.
  Result<JobSnapshot> look(const std::string& id);

 private:
  class Impl;
  std::unique_ptr<Impl> impl_;
};

/// Whether nodes do the job, or did: a server that works itself must not do it again.
/// @param store  As ServicesOptions::store. @errors Those of the broker.
Result<bool> nodes_have(const std::string& store, const std::string& id);

}  // namespace ws
