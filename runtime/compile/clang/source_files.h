// The files that the front end sees: the client's, our own headers, and one that names the entries.
// All are in memory.
#pragma once

#include <string>
#include <string_view>

#include <llvm/ADT/IntrusiveRefCntPtr.h>
#include <llvm/Support/VirtualFileSystem.h>

#include "runtime/compile/compile.h"

namespace ws::clang_engine {

/// The virtual file names that diagnostics and debug locations carry.
inline constexpr const char* kSourceFile = "/ws/source";
inline constexpr const char* kDefinesFile = "/ws/defines";
inline constexpr const char* kMacrosFile = "/ws/macros";
inline constexpr const char* kEntriesFile = "/ws/entries";
inline constexpr const char* kHeaderFolder = "/ws/include/";
/// The one of the engine's headers whose functions stand for PTX: the lifter looks into them.
inline constexpr const char* kEnteredHeader = "cuda_barrier.h";
inline constexpr const char* kClientHeaderFolder = "/ws/headers/";

/// "source", "macros", "entry", a client header's name, or "" for the engine's own headers.
std::string region_of(std::string_view file);

/// The prefix of the function that names entry i; its number follows.
inline constexpr std::string_view kProbePrefix = "ws_entry_probe_";

[[nodiscard]] bool is_hip(const CompileRequest& request);

llvm::IntrusiveRefCntPtr<llvm::vfs::InMemoryFileSystem> memory_files(const CompileRequest& request);

}  // namespace ws::clang_engine
