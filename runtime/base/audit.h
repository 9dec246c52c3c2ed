// The audit log: who called which tool, and what was stored for it. Lines of JSON that are appended
// to one file of the process. Any thread.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string_view>

#include "runtime/base/result.h"

namespace ws {

/// Opens the file, or makes it for its owner alone. Without it nothing is audited.
/// @errors kIo: it cannot be written, or is no regular file.
Status open_audit(const std::filesystem::path& path);

/// Opens the file of that path again, after it was moved away. Where that fails, lines go on into
/// the old one. Nothing where nothing is audited. @errors As open_audit.
Status reopen_audit();

/// Ends it.
void close_audit() noexcept;

/// Whether a file is open: what would go into it need not be made otherwise.
[[nodiscard]] bool is_audited() noexcept;

/// Appends {"time", "event", ..., "request_id"}: the id is that of the thread's request. The line,
/// and all that wait, are in the file when it returns. Lines that cannot be written are counted,
/// and logged.
/// @param members  Further members as JSON text: `"tool":"validate"`.
void audit(std::string_view event, std::string_view members) noexcept;

/// As audit(), but the line is written up to 100 ms later, many at once, in the order of all lines:
/// for what only reads, and may come thousands of times a second.
void audit_later(std::string_view event, std::string_view members) noexcept;

/// Writes the lines that wait. Happens at the end of the process, too, but not before std::_Exit.
void write_late_audit() noexcept;

enum class StoredKind : std::uint8_t { kProblem, kKernel, kEvidence, kRef };

/// {"event": "stored", "kind", "id", "kernel_id"}: before the caller is told of it.
/// @param kernel  Whose evidence it is, or where the ref points; empty for others.
void audit_stored(StoredKind kind, std::string_view id, std::string_view kernel = {}) noexcept;

}  // namespace ws
