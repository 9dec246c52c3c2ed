// SASS, the machine code of NVIDIA's GPUs, in words: from the toolkit's disassembler.
#pragma once

#include <chrono>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>

#include "runtime/base/result.h"

namespace ws {

/// Runs nvdisasm or cuobjdump on a cubin, in a process with limits of time, memory and output; the
/// code goes there and comes back through memory files.
///
/// @param tool  As find_disassembler gives it.
/// @errors kTimeout: it took longer than `limit`; kUnsupported: it refused the code, with what it
///         said; kIo.
/// @threads any; blocks.
Result<std::string> disassemble(const std::string& tool, std::string_view cubin,
                                std::chrono::milliseconds limit);

/// Mnemonic -> static count over all functions: "HGMMA", "FFMA", "LDGSTS", "UTMALDG", "LDL", ...;
/// what the one table in sass.cpp does not list counts as "other".
std::map<std::string, std::int64_t> count_sass(std::string_view text);

}  // namespace ws
