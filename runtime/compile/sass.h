// Machine code of GPUs in words: SASS of NVIDIA's by the toolkit's disassembler, and the code of
// AMD's by LLVM's.
#pragma once

#include <chrono>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>

#include "runtime/base/result.h"

namespace ws {

/// How to get a disassembler for NVIDIA's GPUs, and one for AMD's.
inline constexpr const char* kNvidiaDisassemblerFix =
    "pip install nvidia-cuda-nvdisasm, or apt install cuda-nvdisasm-13-0 from NVIDIA's repository, "
    "and set WARPSMITH_CUDA to the folder with bin/nvdisasm";
inline constexpr const char* kAmdDisassemblerFix = "apt install llvm";

/// LLVM's llvm-objdump, the newest of /usr/bin; empty where there is none. @threads any.
std::string find_amd_disassembler();

struct Disassembler {
  std::string tool;        ///< As find_disassembler() or find_amd_disassembler() gives it.
  std::string executable;  ///< The warpsmith whose worker becomes the tool.
};

/// Runs nvdisasm or cuobjdump on a cubin, or llvm-objdump on a code object, in a process with
/// limits of time, memory and output, which reads the system's files and the tool's own, and no
/// others; the code goes there and comes back through memory files.
///
/// @errors kTimeout: it took longer than `limit`; kUnsupported: it refused the code, with what it
///         said, or could not be run confined; kIo.
/// @threads any; blocks.
Result<std::string> disassemble(const Disassembler& disassembler, std::string_view code,
                                std::chrono::milliseconds limit);

/// Mnemonic -> static count over all functions: "HGMMA", "FFMA", "LDGSTS", "UTMALDG", "LDL", ...;
/// what the one table in sass.cpp does not list counts as "other".
std::map<std::string, std::int64_t> count_sass(std::string_view text);

}  // namespace ws
