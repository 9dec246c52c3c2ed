// The work of a running server as JSON: its devices, lanes and jobs.
#pragma once

#include <cstdint>
#include <stop_token>

#include "runtime/session/services.h"
#include "server/protocol/protocol.h"

namespace ws::server {

/// [{name, queued, running, busy_s}]
Json lane_rows(JobQueue& jobs);

/// [{job_id, tool, state, lane, client, principal, request_id, age_s, ran_s, progress, message,
/// queue_position, eta_s}]: the last two are left out where they are not known.
Json job_rows(JobQueue& jobs);

/// {lanes, jobs}: the same without the names of clients, principals and requests, for whoever looks
/// on.
Json public_work(JobQueue& jobs);

/// Waits until the work changes, as QueueChanges::wait().
std::uint64_t wait_for_work(std::uint64_t seen, const std::stop_token& stop);

/// [{id, key, name, arch, emulated} or {id, error}]. Asks each device, which may start its
/// worker.
Json device_rows(const std::vector<Device>& devices);

}  // namespace ws::server
