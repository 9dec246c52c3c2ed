// A job of the broker as a server's queue is told of it.
#pragma once

#include "runtime/broker/job_broker.h"
#include "runtime/queue/job_queue.h"

namespace ws {

JobReport report_of(const NodeJobView& view);

}  // namespace ws
