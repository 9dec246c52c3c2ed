#include "runtime/base/log.h"

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <chrono>
#include <condition_variable>
#include <cstdlib>
#include <exception>
#include <mutex>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include <poll.h>
#include <unistd.h>

#include "runtime/base/clock.h"
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

/// How long a late line may wait for others.
constexpr auto kLate = std::chrono::milliseconds(20);
/// So much waits at most; who comes then writes all of it.
constexpr std::size_t kMaxWaiting = std::size_t{256} << 10U;

std::string line_of(const LogEvent& event) {
  return g_format.load() == LogFormat::kJson ? json_line(event) : text_line(event);
}

std::string line_of(LogLevel level, std::string_view module, std::string_view text) {
  const std::string time = timestamp_now();
  return line_of({time, level, module, text, current_request_id()});
}

/// An event whose line is made by who writes it: that takes longer than to remember it.
struct LateEvent {
  std::int64_t unix_ms = 0;
  LogLevel level = LogLevel::kInfo;
  std::string module;
  std::string text;
  std::string request;
};

void lose(std::uint64_t count) noexcept {
  g_lost += count;
  g_all_lost.add(static_cast<std::int64_t>(count));
}

/// False: it would have to wait for somebody to read.
bool write_at_once(const std::string& line) {
  pollfd out{STDERR_FILENO, POLLOUT, 0};
  const bool full = ::poll(&out, 1, 0) == 0;
  return !full && (::write(STDERR_FILENO, line.data(), line.size()) >= 0 || errno != EAGAIN);
}

/// With g_mutex held.
void write_now(const std::string& lines, std::uint64_t count) {
  if (g_lost > 0) {
    const std::string lost =
        line_of(LogLevel::kWarning, "log",
                std::to_string(g_lost) + " lines are lost, as nobody read what was written here");
    if (!write_at_once(lost)) {
      lose(count);
      return;
    }
    g_lost = 0;
  }
  if (!write_at_once(lines)) {
    lose(count);
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

  void add(LateEvent event) {
    bool wake = false;
    bool full = false;
    {
      const std::lock_guard lock(mutex_);
      wake = events_.empty();
      bytes_ += event.text.size();
      events_.push_back(std::move(event));
      full = bytes_ > kMaxWaiting || !begin();
    }
    if (full) {
      const std::lock_guard lock(g_mutex);
      write();
    } else if (wake) {
      filled_.notify_one();
    }
  }

  /// With g_mutex held.
  void write() {
    const std::string lines = take_lines();
    for (std::size_t at = 0; at < lines.size();) {
      // As many whole lines as go out in one write; each is shorter than that.
      std::size_t end = lines.size();
      if (end - at > kMaxLogLine) {
        end = lines.rfind('\n', at + kMaxLogLine - 1) + 1;
      }
      const std::string part = lines.substr(at, end - at);
      write_now(part, static_cast<std::uint64_t>(std::count(part.begin(), part.end(), '\n')));
      at = end;
    }
  }

 private:
  std::string take_lines() {
    std::vector<LateEvent> events;
    {
      const std::lock_guard lock(mutex_);
      events.swap(events_);
      bytes_ = 0;
    }
    std::string lines;
    for (const LateEvent& event : events) {
      lines += line_of(
          {timestamp_of(event.unix_ms), event.level, event.module, event.text, event.request});
    }
    return lines;
  }

  /// False: there is no thread to be had. With mutex_ held.
  bool begin() {
    if (!begun_) {
      try {
        std::thread([this] { work(); }).detach();
        begun_ = true;
      } catch (const std::exception&) {
        return false;
      }
    }
    return true;
  }

  [[noreturn]] void work() {
    for (;;) {
      {
        std::unique_lock lock(mutex_);
        filled_.wait(lock, [this] { return !events_.empty(); });
      }
      std::this_thread::sleep_for(kLate);
      write_late_lines();
    }
  }

  std::mutex mutex_;
  std::condition_variable filled_;
  std::vector<LateEvent> events_;  // guarded by mutex_
  std::size_t bytes_ = 0;          // of their texts; guarded by mutex_
  bool begun_ = false;             // guarded by mutex_
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

void log(LogLevel level, std::string_view module, std::string_view text) noexcept {
  if (level < g_level.load()) {
    return;
  }
  try {
    const std::string line = line_of(level, module, text);
    const std::lock_guard lock(g_mutex);
    late_lines().write();
    write_now(line, 1);
  } catch (const std::exception&) {
    lose(1);  // There is no memory for it.
  }
}

void log_later(LogLevel level, std::string_view module, std::string_view text) noexcept {
  if (level < g_level.load()) {
    return;
  }
  try {
    late_lines().add({unix_ms(), level, std::string(module),
                      std::string(text.substr(0, kMaxLogLine)), std::string(current_request_id())});
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
