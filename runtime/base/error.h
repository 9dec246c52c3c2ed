// Errors: why the server gave no answer. A kernel that is wrong or slow is a result, not an error.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace ws {

enum class ErrorCode : std::uint8_t {
  kInvalidArgument,
  kNotFound,
  kConflict,
  kUnsupported,
  kBusy,
  kTimeout,
  kCancelled,
  kDeviceLost,
  kIo,
  kInternal,
};

struct Error {
  ErrorCode code = ErrorCode::kInternal;
  std::string message;  ///< One sentence that says what failed, lower case, no full stop.
  std::string hint;     ///< A step that the caller can take next; empty if there is none.
  std::string source;   ///< The call that failed: "mmap: Cannot allocate memory"; may be empty.
};

/// The word the agent sees: "invalid_argument", "busy", ...
std::string_view word(ErrorCode code);

/// True when the same call may succeed later without a change.
bool retryable(ErrorCode code);

/// "<word>: <message> (<source>); <hint>": what goes on the wire.
std::string to_text(const Error& error);

}  // namespace ws
