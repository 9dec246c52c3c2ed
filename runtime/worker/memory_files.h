// A file system of a few files in memory, for a confined compiler that works by temporary files.
#pragma once

namespace ws {

/// Answers the signals that a sandbox with `memory_files` raises: files and folders whose names
/// begin with `prefix` are made, read, renamed and removed in memory, and no other file is there.
/// Folders cannot be listed. At most 128 of them at a time, names of up to 255 bytes.
///
/// Install it after the compiler has run once: it may set a handler of its own for that signal,
/// which in the sandbox only seems to work.
///
/// @param prefix  Must live as long as the process, such as "/tmp/comgr-".
/// @threads one.
/// @source seccomp(2), SECCOMP_RET_TRAP; the calls' registers as in syscall(2), x86-64.
void install_memory_files(const char* prefix);

/// Forgets all files that a compile left behind.
void clear_memory_files();

}  // namespace ws
