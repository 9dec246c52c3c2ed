// Lets a confined compiler read one folder, whatever names its source includes.
#pragma once

#include <string_view>

namespace ws {

/// The name of a file that the process may also write; it lies in memory.
inline constexpr const char* kScratchFile = "/precompiled_headers";

/// The beginning of the names of the front end's own temporary files; one is open at a time, and
/// removed before it is used.
inline constexpr const char* kTemporaryFile = "/tmp/edg";

struct HeaderGate {
  std::string_view folder;  ///< Absolute, links resolved. Must live as long as the process.
  int descriptor = -1;      ///< The descriptor of that folder.
  int scratch = -1;         ///< The stand-in for kScratchFile; -1: none.
  int temporary = -1;       ///< The stand-in for files named kTemporaryFile...; -1: none.
};

/// Answers the signals that a sandbox with a `readable_folder` raises: a call that opens or looks
/// at a file below `folder` is done on the folder's descriptor, one that names kScratchFile or a
/// temporary file on that descriptor, and everything else is not there. For a process that cannot
/// be told which files its text may name: #include, __has_include.
///
/// @source seccomp(2), SECCOMP_RET_TRAP; the calls' registers as in syscall(2), x86-64.
void install_header_gate(const HeaderGate& gate);

}  // namespace ws
