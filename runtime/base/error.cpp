#include "runtime/base/error.h"

#include <array>

namespace ws {
namespace {

struct ErrorRow {
  ErrorCode code;
  std::string_view word;
  bool retryable;
};

constexpr std::array kErrorRows = {
    // code                                 the word the agent sees  may it try the same call again
    ErrorRow{ErrorCode::kInvalidArgument, "invalid_argument", false},
    ErrorRow{ErrorCode::kNotFound, "not_found", false},
    ErrorRow{ErrorCode::kConflict, "conflict", false},
    ErrorRow{ErrorCode::kUnsupported, "unsupported", false},
    ErrorRow{ErrorCode::kBusy, "busy", true},
    ErrorRow{ErrorCode::kTimeout, "timeout", true},
    ErrorRow{ErrorCode::kCancelled, "cancelled", true},
    ErrorRow{ErrorCode::kDeviceLost, "device_lost", true},
    ErrorRow{ErrorCode::kIo, "io", true},
    ErrorRow{ErrorCode::kInternal, "internal", false},
};

const ErrorRow& row(ErrorCode code) {
  for (const ErrorRow& candidate : kErrorRows) {
    if (candidate.code == code) {
      return candidate;
    }
  }
  return kErrorRows.back();
}

}  // namespace

std::string_view word(ErrorCode code) {
  return row(code).word;
}

bool retryable(ErrorCode code) {
  return row(code).retryable;
}

std::string to_text(const Error& error) {
  std::string text = std::string(word(error.code)) + ": " + error.message;
  if (!error.source.empty()) {
    text += " (" + error.source + ")";
  }
  if (!error.hint.empty()) {
    text += "; " + error.hint;
  }
  return text;
}

}  // namespace ws
