// Log lines that whoever writes them does not wait for: for what happens thousands of times a
// second.
#pragma once

#include <span>
#include <string_view>

#include "runtime/base/log.h"

namespace ws {

/// A value is shown as it is where it is a plain word, else quoted and escaped as in JSON, and cut
/// where it is longer than 200 bytes: a client's words cannot make it look like another line or
/// field.
struct LogField {
  std::string_view key;  ///< Lives as long as the process, and is a word of a-z, 0-9 and _.
  std::string_view value;
};

/// Whether lines of the level are written: what is not need not be made. Any thread.
[[nodiscard]] bool is_logged(LogLevel level) noexcept;

/// As log(), but the line is made and written up to 100 ms later, by a thread of its own, many at
/// once. The order of all lines stays as it was. Any thread.
/// @param module  Lives as long as the process.
void log_later(LogLevel level, std::string_view module, std::span<const LogField> fields) noexcept;

/// Writes the lines that wait. Happens at the end of the process, too, but not before std::_Exit.
void write_late_lines() noexcept;

}  // namespace ws
