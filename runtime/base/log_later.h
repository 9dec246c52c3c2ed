// Log lines that whoever writes them does not wait for: for what happens thousands of times a
// second.
#pragma once

#include <string_view>

#include "runtime/base/log.h"

namespace ws {

/// As log(), but the line is written some milliseconds later, by a thread of its own, many at once.
/// The order of all lines stays as it was. Any thread.
void log_later(LogLevel level, std::string_view module, std::string_view text) noexcept;

/// Writes the lines that wait. Happens at the end of the process, too, but not before std::_Exit.
void write_late_lines() noexcept;

}  // namespace ws
