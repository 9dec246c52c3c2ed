#include "runtime/base/log.h"

#include <atomic>
#include <cerrno>
#include <exception>
#include <mutex>
#include <string>

#include <poll.h>
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

/// A pipe that polls as writable takes so much without blocking (PIPE_BUF).
constexpr std::size_t kMaxLine = 4096;

std::mutex g_mutex;
std::atomic<std::uint64_t> g_lost = 0;

std::string line_of(LogLevel level, std::string_view module, std::string_view text) {
  std::string line = timestamp_now();
  line.append(" ").append(name_of(level)).append(" ").append(module).append(": ");
  for (const char c : text) {
    line.push_back(static_cast<unsigned char>(c) < 0x20 ? ' ' : c);
  }
  if (line.size() >= kMaxLine) {
    line.resize(kMaxLine - 4);
    line.append("...");
  }
  line.push_back('\n');
  return line;
}

/// False: it would have to wait for somebody to read.
bool write_at_once(const std::string& line) {
  pollfd out{STDERR_FILENO, POLLOUT, 0};
  const bool full = ::poll(&out, 1, 0) == 0;
  return !full && (::write(STDERR_FILENO, line.data(), line.size()) >= 0 || errno != EAGAIN);
}

void write_line(LogLevel level, std::string_view module, std::string_view text) {
  const std::string line = line_of(level, module, text);
  const std::lock_guard lock(g_mutex);
  if (g_lost > 0) {
    const std::string lost =
        line_of(LogLevel::kWarning, "log",
                std::to_string(g_lost) + " lines are lost, as nobody read what was written here");
    if (!write_at_once(lost)) {
      ++g_lost;
      return;
    }
    g_lost = 0;
  }
  if (!write_at_once(line)) {
    ++g_lost;
  }
}

}  // namespace

void set_log_level(LogLevel level) {
  g_level = level;
}

void log(LogLevel level, std::string_view module, std::string_view text) noexcept {
  if (level < g_level.load()) {
    return;
  }
  try {
    write_line(level, module, text);
  } catch (const std::exception&) {
    ++g_lost;  // There is no memory for it.
  }
}

}  // namespace ws
