// The functions of imports.def as addresses: what compiled kernels call in their worker.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace ws::cpu {

/// Null for a name that is not in imports.def.
void* import_address(const std::string& name);

/// The buffers of the launch being run, for accesses whose origin the compiler could not tell.
struct KnownRange {
  std::uint64_t low = 0;
  std::uint64_t high = 0;
};

void set_known_ranges(std::vector<KnownRange> ranges);

}  // namespace ws::cpu
