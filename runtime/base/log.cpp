#include "runtime/base/log.h"

#include <atomic>
#include <string>

#include <unistd.h>

#include "runtime/base/clock.h"

namespace ws {
namespace {

std::atomic<LogLevel> g_level = LogLevel::kInfo;

std::string_view name_of(LogLevel level) {
  switch (level) {
    case LogLevel::kDebug:
      return "debug";
    case LogLevel::kInfo:
      return "info";
    case LogLevel::kWarning:
      return "warning";
    case LogLevel::kError:
    case LogLevel::kOff:
      break;
  }
  return "error";
}

}  // namespace

void set_log_level(LogLevel level) {
  g_level = level;
}

void log(LogLevel level, std::string_view module, std::string_view text) {
  if (level < g_level.load()) {
    return;
  }
  std::string line = timestamp_now();
  line.append(" ").append(name_of(level)).append(" ").append(module).append(": ");
  for (const char c : text) {
    line.push_back(static_cast<unsigned char>(c) < 0x20 ? ' ' : c);
  }
  line.push_back('\n');
  // A log line that cannot be written has nowhere to be reported.
  [[maybe_unused]] const ssize_t written = ::write(STDERR_FILENO, line.data(), line.size());
}

}  // namespace ws
