// One line of the log as text or as JSON; for runtime/base only.
#pragma once

#include <string>
#include <string_view>

#include "runtime/base/log.h"

namespace ws {

/// A pipe that polls as writable takes so much without blocking (PIPE_BUF).
inline constexpr std::size_t kMaxLogLine = 4096;

struct LogEvent {
  std::string_view time;
  LogLevel level = LogLevel::kInfo;
  std::string_view module;
  std::string_view text;     ///< key=value pairs and words; a value may be quoted as in JSON.
  std::string_view request;  ///< Its id, or empty.
};

/// "TIME LEVEL MODULE: TEXT request_id=ID" and a line end. Control characters of the text become
/// blanks; what is too long ends in "...".
std::string text_line(const LogEvent& event);

/// The same as one JSON object. The text's keys are its members, all strings; what is no key=value
/// pair is `message`. A member that makes the line too long is cut.
std::string json_line(const LogEvent& event);

}  // namespace ws
