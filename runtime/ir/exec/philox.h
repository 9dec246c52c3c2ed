// Random bits that depend on a key and a counter alone: Philox 4x32.
//
// Source: J. Salmon, M. Moraes, R. Dror, D. Shaw, "Parallel Random Numbers: As Easy as 1, 2, 3"
// (2011), 4.3.
#pragma once

#include <array>
#include <cstdint>

namespace ws::ir {

/// The four words of 32 random bits. @param key  Its low word is the first. Any thread.
std::array<std::uint32_t, 4> philox(std::array<std::uint32_t, 4> counter, std::uint64_t key,
                                    std::int64_t rounds);

}  // namespace ws::ir
