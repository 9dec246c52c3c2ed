// Wall-clock times as text, and milliseconds since a start.
#pragma once

#include <chrono>
#include <cstdint>
#include <string>

namespace ws {

/// "2026-11-20T10:00:00.123Z", UTC.
std::string timestamp_now();

/// The same of a time in milliseconds since the Unix epoch.
std::string timestamp_of(std::int64_t ms);

/// Milliseconds since the Unix epoch.
std::int64_t unix_ms();

/// Milliseconds from `start` to now, on the steady clock.
double elapsed_ms(std::chrono::steady_clock::time_point start);

}  // namespace ws
