// Lets a confined compiler read one folder, whatever names its source includes.
#pragma once

#include <string>

namespace ws {

/// Answers the signals that a sandbox with a `readable_folder` raises: a call that opens or looks
/// at a file below `folder` is done on the folder's descriptor; for everything else the file is not
/// there. For a process that cannot be told which files its text may name: #include, __has_include.
///
/// @param folder      Absolute, links resolved. Must live as long as the process.
/// @param descriptor  Of that folder.
/// @source seccomp(2), SECCOMP_RET_TRAP; the calls' registers as in syscall(2), x86-64.
void install_header_gate(const std::string& folder, int descriptor);

}  // namespace ws
