// Jobs whose id a client was given, as rows of the archive: they can be asked for after the server
// has forgotten them, or has been restarted.
#pragma once

#include <string>

#include "runtime/archive/archive.h"
#include "runtime/queue/job_queue.h"
#include "tools/tool.h"

namespace ws {

/// Writes down that a client knows this job. Before the id leaves the server.
/// @param question  What it was asked: the kernels and problems that are named there are not
/// garbage
///                  while it runs. Only the first time counts. @errors kIo.
Status record_job_promise(Archive& archive, const JobSnapshot& job, const std::string& question);

/// Writes the outcome of a job that was promised; others leave no row. Logs what goes wrong.
void record_job_end(Archive& archive, const JobSnapshot& job);

/// The outcome of a job that the queue does not know any more.
/// @errors kNotFound; kDeviceLost: the server that ran it is gone; what the job itself ended with.
Result<Json> recorded_outcome(Archive& archive, const std::string& id);

}  // namespace ws
