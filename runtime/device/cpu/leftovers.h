// The contents that a kernel finds in memory it did not write: nonsense, as it may see on a GPU,
// and nothing of an earlier launch. It tells nothing of the secret that its key comes from.
#pragma once

#include <cstdint>
#include <span>

#include "runtime/base/keyed_stream.h"
#include "runtime/device/cpu/block_runner.h"

namespace ws::cpu {

/// Fills a kernel's own arrays; where the functions that it calls have theirs there are zeros.
/// @param threads  That have local memory side by side.
void poison_local(const LocalMemory& local, std::uint64_t threads, const StreamKey& key);

void poison_shared(char* shared, std::uint64_t bytes, const StreamKey& key);

/// Zeros in place of both, as memory has that the system has just given out.
void zero_leftovers(const LocalMemory& local, std::uint64_t threads, std::span<char> shared);

}  // namespace ws::cpu
