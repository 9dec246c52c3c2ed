// The key of the poison in shared and local memory before a launch: our kernels on the device
// generate the words from it.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

namespace ws::cuda {

/// Round keys of the block cipher Speck64/128. The device encrypts the number of a word's pair (and
/// of the thread, for local memory): who reads the result can compute neither the key nor the rest.
/// By value a kernel's parameter: 108 bytes.
/// @source R. Beaulieu et al., "The SIMON and SPECK families of lightweight block ciphers" (2013).
using PoisonKeys = std::array<std::uint32_t, 27>;

/// @param key  Of the cipher; key[0] is the last word of the paper's notation.
PoisonKeys speck_round_keys(const std::array<std::uint32_t, 4>& key);

/// @param poison  Of the doorbell. @param memory  "shared" or "local". @param step  Of the plan.
PoisonKeys poison_keys(std::uint64_t poison, std::string_view memory, std::uint64_t step);

}  // namespace ws::cuda
