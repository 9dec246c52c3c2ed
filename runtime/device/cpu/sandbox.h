// The sandbox of a run worker, which gives up files, network, processes and memory without limit
// before it runs a kernel. Works on any Debian 12 kernel; landlock is added where there is one.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "runtime/base/files.h"
#include "runtime/base/result.h"

namespace ws::cpu {

/// `bytes`; 0 in a sanitizer's build, which reserves terabytes of address space.
constexpr std::uint64_t memory_limit([[maybe_unused]] std::uint64_t bytes) {
#if defined(__SANITIZE_ADDRESS__)
  return 0;
#else
  return bytes;
#endif
}

struct SandboxLimits {
  std::uint64_t memory_bytes = 0;  ///< RLIMIT_AS, of memory_limit(); 0 = leave it.
  std::uint64_t cpu_seconds = 600;
  /// The filter is for copies of this process, which goes on for long: each has to see to it that
  /// it signals no other process, and has to set its own limit of processor time.
  bool for_copies = false;
  /// Descriptor of a folder below which files may be opened for reading, by openat() and
  /// newfstatat() with this descriptor; any other call that names a file raises SIGSYS. -1: no
  /// file at all, and no signal.
  int readable_folder = -1;
  /// Files may be made in memory, each up to `scratch_bytes`, at most 64 open ones in all; any call
  /// that names a file raises SIGSYS. Not together with a readable folder.
  bool memory_files = false;
  /// With a readable folder: descriptors of files in memory that may be written, each up to
  /// `scratch_bytes`, and duplicated.
  std::vector<int> scratch_files = {};
  std::uint64_t scratch_bytes = 0;
  /// Memory may become code: for a process whose library compiles in it.
  bool new_code = false;
};

/// Irrevocable, for the whole process; threads may still be made. Threads that are there already
/// get the filter too, but landlock covers only those that come later.
/// @errors kIo: seccomp could not be set: the caller must not run a kernel.
/// @source seccomp(2), landlock(7).
Status enter_sandbox(const SandboxLimits& limits);

/// The same in two steps, for a process that has to load libraries first: limits, and no file may
/// be written from now on. The rest is the filter that is given back: an array of sock_filter,
/// which the process sets itself (SECCOMP_SET_MODE_FILTER) before it runs anything foreign.
/// @errors kIo: there is no filter.
Result<Fd> prepare_sandbox(const SandboxLimits& limits);

/// The landlock ABI of this kernel; 0 = none. For doctor.
int landlock_abi();

}  // namespace ws::cpu
