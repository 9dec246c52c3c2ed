// The facts that a cubin (an ELF file for NVIDIA's GPUs) holds about its kernels.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "runtime/base/result.h"

namespace ws {

struct CubinParam {
  std::uint32_t offset = 0;  ///< In the parameter block.
  std::uint32_t size = 0;    ///< Bytes.
};

struct CubinEntry {
  std::string symbol;
  std::int64_t registers =
      -1;  ///< The registers of one thread; -1 = the file does not say, as below.
  std::int64_t local_bytes = -1;  ///< Stack of one thread, called functions included.
  std::int64_t shared_bytes = 0;  ///< Static, without what the system reserves.
  std::int64_t max_threads = -1;  ///< The limit of a block, by __launch_bounds__.
  std::vector<CubinParam> params;
};

/// A `__device__` or `__constant__` variable.
struct CubinSymbol {
  std::string name;
  std::uint64_t bytes = 0;
};

struct Cubin {
  std::vector<CubinEntry> entries;
  std::vector<CubinSymbol> symbols;
};

/// Reads the section and symbol tables and the attributes in .nv.info*; no code.
///
/// @errors kInternal: "not a cubin: ...". Any bytes may come: each offset and length is checked.
/// @source Section names and attributes as ptxas of CUDA 12 and 13 writes them, found by compiling
/// kernels whose numbers are known and comparing with `ptxas -v`.
Result<Cubin> read_cubin(std::string_view bytes);

}  // namespace ws
