// Runs independent parts of the server's own computations on all cores.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>

namespace ws {

/// Cores that the system has online, at least 1. Read once: asking the system opens a file, which
/// costs more than a short call may.
[[nodiscard]] unsigned core_count();

/// Calls body(0) to body(count - 1), each once, on the calling thread and as many others as there
/// are cores; returns when all are done. Starting threads takes some 50 us: parts should take more.
///
/// @param body  Must not throw; runs on several threads at once.
void parallel_for(std::size_t count, const std::function<void(std::size_t)>& body);

/// memory_hash() of a large piece of memory by all cores: of the hashes of its parts, so not the
/// same value. Any thread.
std::uint64_t wide_hash(std::span<const std::byte> bytes, std::uint64_t seed);

/// Copies a large piece of memory by all cores. @param to  As long as `from`. Any thread.
void wide_copy(std::span<const std::byte> from, std::span<std::byte> to);

}  // namespace ws
