#include "runtime/base/audit.h"

#include <atomic>
#include <cerrno>
#include <exception>
#include <mutex>
#include <string>

#include <fcntl.h>
#include <nlohmann/json.hpp>
#include <sys/stat.h>
#include <unistd.h>

#include "runtime/base/clock.h"
#include "runtime/base/files.h"
#include "runtime/base/log.h"
#include "runtime/base/message.h"
#include "runtime/base/metrics.h"
#include "runtime/base/private_files.h"
#include "runtime/base/request_id.h"

namespace ws {
namespace {

struct AuditFile {
  std::mutex mutex;
  std::filesystem::path path;  // guarded by mutex
  Fd file;                     // guarded by mutex
  std::atomic<bool> open = false;
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

std::string json_text(std::string_view text) {
  return nlohmann::json(text).dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

void lose_line(const char* why) noexcept {
  log(LogLevel::kError, "audit", "a line is not written:");
  log(LogLevel::kError, "audit", why);
  try {
    metric_cell(Metric::kAuditLost).add();
  } catch (const std::exception& error) {
    log(LogLevel::kError, "audit", error.what());
  }
}

}  // namespace

Status open_audit(const std::filesystem::path& path) {
  WS_TRY(Fd file, open_for_lines(path));
  AuditFile& own = audit_file();
  const std::lock_guard lock(own.mutex);
  own.path = path;
  own.file = std::move(file);
  own.open = true;
  return {};
}

Status reopen_audit() {
  AuditFile& own = audit_file();
  const std::lock_guard lock(own.mutex);
  if (!own.open) {
    return {};
  }
  WS_TRY(own.file, open_for_lines(own.path));
  return {};
}

void close_audit() noexcept {
  AuditFile& own = audit_file();
  const std::lock_guard lock(own.mutex);
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
    std::string line = R"({"time":")" + timestamp_now() + R"(","event":")" + std::string(event);
    line.append("\"");
    if (!members.empty()) {
      line.append(",").append(members);
    }
    if (const std::string_view id = current_request_id(); !id.empty()) {
      line.append(R"(,"request_id":)").append(json_text(id));
    }
    line.append("}\n");
    AuditFile& own = audit_file();
    const std::lock_guard lock(own.mutex);
    const ssize_t written = ::write(own.file.get(), line.data(), line.size());
    if (written != static_cast<ssize_t>(line.size())) {
      lose_line(written < 0 ? "write failed" : "the disk is full");
    }
  } catch (const std::exception& error) {
    lose_line(error.what());
  }
}

void audit_stored(StoredKind kind, std::string_view id, std::string_view kernel) noexcept {
  if (!is_audited()) {
    return;
  }
  try {
    std::string members =
        R"("kind":")" + std::string(stored_word(kind)) + R"(","id":)" + json_text(id);
    if (!kernel.empty()) {
      members += R"(,"kernel_id":)" + json_text(kernel);
    }
    audit("stored", members);
  } catch (const std::exception& error) {
    lose_line(error.what());
  }
}

}  // namespace ws
