// Log lines on stderr: "2026-11-20T10:00:00.123Z info queue: job=... state=done", or the same as
// one JSON object a line.
#pragma once

#include <cstdint>
#include <string_view>

namespace ws {

enum class LogLevel : std::uint8_t { kDebug, kInfo, kWarning, kError, kOff };

enum class LogFormat : std::uint8_t { kText, kJson };

/// `kText` at start. Any thread.
void set_log_format(LogFormat format);

/// Sets the lowest level that is written; `kInfo` at start. Any thread.
void set_log_level(LogLevel level);

/// Writes one line of at most 4 KiB in one write. `module` is the folder ("queue"); `text` is
/// key=value pairs. Control characters in `text` are replaced. Never waits: where stderr is a pipe
/// that nobody reads the line is lost, and counted in the next one that is not. The id of the
/// thread's request (request_id.h) stands in it. Any thread.
void log(LogLevel level, std::string_view module, std::string_view text) noexcept;

}  // namespace ws
