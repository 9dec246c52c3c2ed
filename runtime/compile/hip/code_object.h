// The facts that a code object (an ELF file for AMD's GPUs) holds about its kernels.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "runtime/base/result.h"

namespace ws::hip {

struct CodeParam {
  std::uint32_t offset = 0;  ///< In the kernel's argument block.
  std::uint32_t size = 0;    ///< Bytes.
  bool pointer = false;      ///< A pointer to device memory.
};

struct CodeEntry {
  std::string symbol;             ///< As a module finds it.
  std::int64_t registers = -1;    ///< Vector registers of one lane, accumulators among them where
                                  ///< they share one file; -1 = the file does not say, as below.
  std::int64_t scalars = -1;      ///< Scalar registers of one wavefront.
  std::int64_t spills = -1;       ///< Vector registers that went to memory.
  std::int64_t local_bytes = -1;  ///< Private memory of one lane: stack frame and spills.
  std::int64_t shared_bytes = 0;  ///< Static LDS.
  std::int64_t max_threads =
      -1;  ///< The limit of a block, by __launch_bounds__ or the compiler's own limit.
  std::int64_t wavefront = -1;    ///< Lanes: 64 or 32.
  std::vector<CodeParam> params;  ///< Without what the compiler adds.
};

/// A `__device__` or `__constant__` variable.
struct CodeSymbol {
  std::string name;
  std::uint64_t bytes = 0;
};

struct CodeObject {
  std::string target;  ///< "gfx90a"
  std::vector<CodeEntry> entries;
  std::vector<CodeSymbol> symbols;
};

/// Reads the metadata note and the symbol table; no code.
///
/// @errors kInternal: "not a code object: ...". Any bytes may come: each offset and length is
/// checked.
/// @source LLVM's "User Guide for AMDGPU Backend", code object V3 to V5 metadata.
Result<CodeObject> read_code_object(std::string_view bytes);

}  // namespace ws::hip
