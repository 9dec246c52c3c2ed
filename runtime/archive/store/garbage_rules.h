// The parts of the rules of gc that finding and deleting share.
#pragma once

#include <cstdint>

namespace ws::store {

/// When a row was stored, in milliseconds since the epoch.
inline constexpr const char* kCreatedMs =
    "CAST((julianday(created_at) - 2440587.5) * 86400000 AS BIGINT)";

/// A job that is not done may still look for what it was sent.
inline constexpr const char* kNamedByJobs =
    "SELECT value FROM jobs, json_each(jobs.json, '$.names') "
    "WHERE status IN ('queued', 'running') AND json_valid(jobs.json)";

/// The rows of evidence that stay for each kernel, device, kind, question and verdict. A kernel is
/// judged by its newest answers and ranked by its newest eight benchmarks (kernel_status.cpp).
inline constexpr std::int64_t kEvidenceKept = 8;

}  // namespace ws::store
