#include "runtime/base/audit.h"

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cstdlib>
#include <exception>
#include <mutex>
#include <string>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "runtime/base/clock.h"
#include "runtime/base/files.h"
#include "runtime/base/json_string.h"
#include "runtime/base/late_work.h"
#include "runtime/base/log.h"
#include "runtime/base/message.h"
#include "runtime/base/metrics.h"
#include "runtime/base/private_files.h"
#include "runtime/base/request_id.h"
#include "runtime/base/timestamp.h"

namespace ws {
namespace {

/// So much waits at most; who comes then writes it.
constexpr std::size_t kMaxUnwritten = std::size_t{256} << 10U;

struct AuditFile {
  std::mutex mutex;
  std::filesystem::path path;  // guarded by mutex, as are the next three
  Fd file;
  bool in_line = false;  ///< The file ends in a part of a line.
  std::string taken;
  std::atomic<bool> open = false;

  std::mutex waiting_mutex;  // Taken last.
  std::string waiting;       // guarded by waiting_mutex
  LateWork late{write_late_audit};
};

AuditFile& audit_file() {
  static auto* const file = new AuditFile;  // Never destroyed: threads write to the end.
  return *file;
}

Result<Fd> open_for_lines(const std::filesystem::path& path) {
  constexpr mode_t kOwner = 0600;
  // O_NONBLOCK: to open a pipe that nobody reads would wait.
  Fd file(::open(path.c_str(), O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC | O_NOCTTY | O_NONBLOCK,
                 kOwner));
  const std::string failure = "cannot write the audit log " + path.string();
  if (!file.valid()) {
    return fail_errno("open", failure);
  }
  struct stat status = {};
  if (::fstat(file.get(), &status) != 0 || !S_ISREG(status.st_mode)) {
    return fail(ErrorCode::kIo, failure + ": it is no regular file", "name a file on a disk");
  }
  keep_private(path);
  return file;
}

std::string_view stored_word(StoredKind kind) {
  switch (kind) {
    case StoredKind::kProblem:
      return "problem";
    case StoredKind::kKernel:
      return "kernel";
    case StoredKind::kEvidence:
      return "evidence";
    case StoredKind::kRef:
      break;
  }
  return "ref";
}

void lose_lines(std::ptrdiff_t count, const char* why) noexcept {
  try {
    metric_cell(Metric::kAuditLost).add(count);
    log(LogLevel::kError, "audit", std::to_string(count) + " lines are not written: " + why);
  } catch (const std::exception& error) {
    log(LogLevel::kError, "audit", error.what());
  }
}

/// Writes all that waits. With the file's mutex held.
void write_waiting(AuditFile& own) {
  own.taken.clear();
  {
    const std::lock_guard lock(own.waiting_mutex);
    own.taken.swap(own.waiting);
  }
  if (own.taken.empty()) {
    return;
  }
  if (own.in_line) {
    own.in_line = ::write(own.file.get(), "\n", 1) != 1;
  }
  const ssize_t written = ::write(own.file.get(), own.taken.data(), own.taken.size());
  const std::size_t size = written < 0 ? 0 : static_cast<std::size_t>(written);
  if (size < own.taken.size()) {
    own.in_line = own.in_line || (size > 0 && own.taken[size - 1] != '\n');
    const auto lost = own.taken.begin() + static_cast<std::ptrdiff_t>(size);
    lose_lines(std::count(lost, own.taken.end(), '\n'),
               written < 0 ? "write failed" : "the disk is full");
  }
}

/// @return False: so much waits that it must be written now.
bool keep_line(std::string_view event, std::string_view members) {
  constexpr std::size_t kFrame = 256;  // The rest of the line, with a request's id.
  static_assert(kMaxRequestId < kFrame / 2);
  AuditFile& own = audit_file();
  const std::int64_t now = unix_ms();
  const std::lock_guard lock(own.waiting_mutex);
  std::string& lines = own.waiting;
  lines.reserve(lines.size() + event.size() + members.size() + kFrame);
  lines += R"({"time":")";
  append_timestamp(lines, now);
  lines.append(R"(","event":")").append(event).append("\"");
  if (!members.empty()) {
    lines.append(",").append(members);
  }
  if (const std::string_view id = current_request_id(); !id.empty()) {
    lines += R"(,"request_id":)";
    append_shown_json_string(lines, id);
  }
  lines += "}\n";
  return lines.size() < kMaxUnwritten;
}

}  // namespace

Status open_audit(const std::filesystem::path& path) {
  WS_TRY(Fd file, open_for_lines(path));
  AuditFile& own = audit_file();
  const std::lock_guard lock(own.mutex);
  if (own.open) {
    write_waiting(own);  // These belong into the file before.
  }
  own.path = path;
  own.file = std::move(file);
  own.in_line = false;
  own.open = true;
  // Without it the last lines of calls that read are lost, no more.
  [[maybe_unused]] static const int kRegistered = std::atexit(write_late_audit);
  return {};
}

Status reopen_audit() {
  AuditFile& own = audit_file();
  const std::lock_guard lock(own.mutex);
  if (!own.open) {
    return {};
  }
  WS_TRY(Fd file, open_for_lines(own.path));
  write_waiting(own);  // These came before it was moved away.
  own.file = std::move(file);
  own.in_line = false;
  return {};
}

void close_audit() noexcept {
  AuditFile& own = audit_file();
  const std::lock_guard lock(own.mutex);
  if (own.open) {
    write_waiting(own);
  }
  own.open = false;
  own.file.reset();
}

bool is_audited() noexcept {
  return audit_file().open;
}

void audit(std::string_view event, std::string_view members) noexcept {
  if (!is_audited()) {
    return;
  }
  try {
    keep_line(event, members);
  } catch (const std::exception& error) {
    lose_lines(1, error.what());
  }
  write_late_audit();
}

void audit_later(std::string_view event, std::string_view members) noexcept {
  if (!is_audited()) {
    return;
  }
  try {
    if (!keep_line(event, members) || !audit_file().late.ask()) {
      write_late_audit();
    }
  } catch (const std::exception& error) {
    lose_lines(1, error.what());
  }
}

void write_late_audit() noexcept {
  AuditFile& own = audit_file();
  const std::lock_guard lock(own.mutex);
  if (own.open) {
    write_waiting(own);
  }
}

void audit_stored(StoredKind kind, std::string_view id, std::string_view kernel) noexcept {
  if (!is_audited()) {
    return;
  }
  try {
    std::string members = R"("kind":")" + std::string(stored_word(kind)) + R"(","id":)";
    append_shown_json_string(members, id);
    if (!kernel.empty()) {
      members += R"(,"kernel_id":)";
      append_shown_json_string(members, kernel);
    }
    audit("stored", members);
  } catch (const std::exception& error) {
    lose_lines(1, error.what());
  }
}

}  // namespace ws
