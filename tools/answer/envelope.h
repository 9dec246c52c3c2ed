// The common part of every tool's input and output: device, wait_ms, detail, fresh in; summary,
// status, next_steps, links out; and a tool's work as a job that a client waits for.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "runtime/base/numbers.h"
#include "runtime/base/text.h"
#include "runtime/session/job_records.h"
#include "runtime/session/services.h"
#include "tools/tool.h"

namespace ws {

struct CommonParams {
  std::string device;
  std::chrono::milliseconds wait{45'000};
  bool full = false;   ///< detail: full
  bool fresh = false;  ///< Do not reuse a stored result.
  /// The arguments as sent, for a server that goes on with the job; null: none can.
  std::shared_ptr<const Json> asked;
};

/// Reads the common fields; the schema has checked their types.
CommonParams common_params(const Json& arguments);

/// {"tool", "arguments", "why"}
Json next_step(const std::string& tool, Json arguments, const std::string& why);

/// A result's frame: summary first, next_steps last (order is the client's to keep; JSON has none).
Json finished(const std::string& summary, Json body, std::vector<Json> next_steps);

/// The arguments that common_params() reads, except wait_ms; those at their defaults are left out.
Json common_arguments(const CommonParams& common);

/// The lanes of devices, in their order.
std::vector<std::string> lanes_of(const std::vector<Device*>& devices);

/// The join key of a call: its arguments without the time that the caller waits, and with the
/// kernel's id where they may name it in another way. Equal keys join one job.
std::string join_key(const Json& arguments, const std::string& kernel_id = {});

/// A job of a tool, before it is started.
struct JobStart {
  std::vector<std::string> lanes;  ///< At least one; it runs on the one that is free first.
  std::string tool;
  std::string key;  ///< Equal keys of a tool join one job.
  CommonParams common;
};

/// Runs `work` as a job and waits, or leaves the wait in `context.later`: the last thing that a
/// tool does. The answer is the work's output when it is done, else a `running` result with the
/// job's id, and the job goes on. The work finds the lane that it runs on in its context.
/// @errors The error of the work; kBusy; kCancelled: the call was cancelled (the job goes on
///         only where another call waits for it or a client knows its id).
Result<Json> run_job(Services& services, const JobStart& start, CallContext& context,
                     std::function<Result<Json>(CallContext&)> work);

/// The longest that one wait for a job takes before it asks again.
inline constexpr std::chrono::milliseconds kLongestWait{600'000};

/// Waits for the end of the job that an answer stands for, however long. `context` waits.
/// @errors The error of the work; kCancelled.
Result<Json> wait_to_end(Services& services, Result<Json> answer, const CallContext& context);

/// Waits for a job that exists already, and answers as run_job() does. A client that waits for it
/// wants it until it cancels it.
Result<Json> wait_for_job(Services& services, const std::string& id, std::chrono::milliseconds wait,
                          const CallContext& context);

/// Has the call of a tool made by a node, as a job of the broker, and waits as run_job() does.
/// @errors Those of NodeJobs::submit(); the error of the work; kCancelled.
Result<Json> answer_by_node(Services& services, const std::string& tool, const Json& arguments,
                            const CallContext& context);

/// The answer for a job that is not done, with its progress.
Json unfinished(const JobSnapshot& job);

/// The same without. @param where  "waits behind 2 jobs".
Json unfinished(const std::string& tool, const std::string& id, JobState state,
                const std::string& where);

}  // namespace ws
