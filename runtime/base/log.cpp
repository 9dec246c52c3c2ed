#include "runtime/base/log.h"

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cstdlib>
#include <exception>
#include <mutex>
#include <string>
#include <utility>

#include <poll.h>
#include <sys/stat.h>
#include <unistd.h>

#include "runtime/base/clock.h"
#include "runtime/base/late_work.h"
#include "runtime/base/log_events.h"
#include "runtime/base/log_later.h"
#include "runtime/base/log_line.h"
#include "runtime/base/metrics.h"
#include "runtime/base/request_id.h"

namespace ws {
namespace {

std::atomic<LogLevel> g_level = LogLevel::kInfo;

std::atomic<LogFormat> g_format = LogFormat::kText;

std::mutex g_mutex;                     // Held by whoever writes.
std::atomic<std::uint64_t> g_lost = 0;  // Since a line was written that says so.
MetricCell& g_all_lost = metric_cell(Metric::kLogLost);

/// So much waits at most; who comes then writes all of it.
constexpr std::size_t kMaxWaiting = std::size_t{1} << 20U;

void append_line(std::string& lines, const LogEvent& event) {
  if (g_format.load() == LogFormat::kJson) {
    append_json_line(lines, event);
  } else {
    append_text_line(lines, event);
  }
}

std::string line_of(LogLevel level, std::string_view module, std::string_view text) {
  std::string line;
  append_line(line, {unix_ms(), level, module, text, current_request_id()});
  return line;
}

void lose(std::uint64_t count) noexcept {
  g_lost += count;
  g_all_lost.add(static_cast<std::int64_t>(count));
}

/// A file takes any number of bytes; what somebody reads takes so many without waiting.
std::size_t most_at_once() {
  struct stat status = {};
  const bool file = ::fstat(STDERR_FILENO, &status) == 0 && S_ISREG(status.st_mode);
  return file ? kMaxWaiting : kMaxLogLine;
}

/// False: it would have to wait for somebody to read.
bool write_at_once(std::string_view line) {
  pollfd out{STDERR_FILENO, POLLOUT, 0};
  const bool full = ::poll(&out, 1, 0) == 0;
  return !full && (::write(STDERR_FILENO, line.data(), line.size()) >= 0 || errno != EAGAIN);
}

std::uint64_t lines_in(std::string_view text) {
  return static_cast<std::uint64_t>(std::count(text.begin(), text.end(), '\n'));
}

/// Whole lines, with g_mutex held.
void write_now(std::string_view lines) {
  if (g_lost > 0) {
    const std::string lost =
        line_of(LogLevel::kWarning, "log",
                std::to_string(g_lost) + " lines are lost, as nobody read what was written here");
    if (!write_at_once(lost)) {
      lose(lines_in(lines));
      return;
    }
    g_lost = 0;
  }
  if (!write_at_once(lines)) {
    lose(lines_in(lines));
  }
}

/// The events whose lines wait to be written. Lives as long as the process: any thread may log to
/// the end.
class LateLines {
 public:
  LateLines() {
    // Without it the last lines are lost, no more.
    [[maybe_unused]] const int registered = std::atexit(write_late_lines);
  }

  void add(const LogEvent& event) {
    bool full = false;
    {
      const std::lock_guard lock(mutex_);
      waiting_.add(event);
      full = waiting_.bytes() > kMaxWaiting;
    }
    if (full || !writing_.ask()) {
      write_late_lines();
    }
  }

  /// With g_mutex held.
  void write() {
    taken_.clear();
    lines_.clear();
    {
      const std::lock_guard lock(mutex_);
      std::swap(waiting_, taken_);
    }
    try {
      taken_.each([this](const LogEvent& event) { append_line(lines_, event); });
    } catch (const std::exception&) {
      lose(taken_.size());  // There is no memory for them.
      return;
    }
    const std::string_view lines = lines_;
    const std::size_t most = most_at_once();
    for (std::size_t at = 0; at < lines.size();) {
      // As many whole lines as go out in one write; each is shorter than that.
      std::size_t end = lines.size();
      if (end - at > most) {
        end = lines.rfind('\n', at + most - 1) + 1;
      }
      write_now(lines.substr(at, end - at));
      at = end;
    }
  }

 private:
  LateWork writing_{write_late_lines};
  std::mutex mutex_;
  LogEvents waiting_;  // guarded by mutex_
  LogEvents taken_;    // guarded by g_mutex, as is the next
  std::string lines_;
};

LateLines& late_lines() {
  static auto* const lines = new LateLines;  // Never destroyed.
  return *lines;
}

}  // namespace

void set_log_level(LogLevel level) {
  g_level = level;
}

void set_log_format(LogFormat format) {
  g_format = format;
}

bool is_logged(LogLevel level) noexcept {
  return level >= g_level.load();
}

void log(LogLevel level, std::string_view module, std::string_view text) noexcept {
  if (!is_logged(level)) {
    return;
  }
  try {
    const std::string line = line_of(level, module, text);
    const std::lock_guard lock(g_mutex);
    late_lines().write();
    write_now(line);
  } catch (const std::exception&) {
    lose(1);  // There is no memory for it.
  }
}

void log_later(LogLevel level, std::string_view module, std::span<const LogField> fields) noexcept {
  if (!is_logged(level)) {
    return;
  }
  try {
    late_lines().add({.unix_ms = unix_ms(),
                      .level = level,
                      .module = module,
                      .text = {},
                      .request = current_request_id(),
                      .fields = fields});
  } catch (const std::exception&) {
    lose(1);
  }
}

void write_late_lines() noexcept {
  try {
    const std::lock_guard lock(g_mutex);
    late_lines().write();
  } catch (const std::exception&) {
    lose(1);
  }
}

}  // namespace ws
