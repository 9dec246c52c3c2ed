// One line of the log as text or as JSON; for runtime/base only.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "runtime/base/log_later.h"

namespace ws {

/// A pipe that polls as writable takes so much without blocking (PIPE_BUF).
inline constexpr std::size_t kMaxLogLine = 4096;

struct LogEvent {
  std::int64_t unix_ms = 0;
  LogLevel level = LogLevel::kInfo;
  std::string_view module;
  std::string_view text;     ///< key=value pairs and words; a value may be quoted as in JSON.
  std::string_view request;  ///< Its id, or empty.
  std::span<const LogField> fields{};  ///< In place of the text, where there are any.
};

/// A value as LogField says.
void append_log_value(std::string& line, std::string_view value);

/// Appends "TIME LEVEL MODULE: KEY=VALUE ... request_id=ID" and a line end. Control characters of
/// the text become blanks; what is too long ends in "...".
void append_text_line(std::string& lines, const LogEvent& event);

/// Appends the same as one JSON object. The keys are its members, all strings; what is no key=value
/// pair of a text is `message`. A member that makes the line too long is cut.
void append_json_line(std::string& lines, const LogEvent& event);

}  // namespace ws
