#include "runtime/device/live_blocks.h"

#include <algorithm>

#include "runtime/device/cpu/abi.h"

namespace ws {
namespace {

constexpr std::uint64_t kCacheLine = 64;
/// Runtime functions and library calls below a kernel's own frame.
constexpr std::uint64_t kRuntimeStackBytes = 3072;
/// Kernels that need more get guarded stacks.
constexpr std::uint64_t kMostDenseBytes = 16 << 10U;

}  // namespace

ThreadStack thread_stack(const StackNeed& need) {
  const std::uint64_t bytes = need.kernel + kRuntimeStackBytes;
  if (need.kernel == 0 || bytes > kMostDenseBytes) {
    return {.dense = false, .bytes = kGuardedStackBytes + kStackGuardBytes};
  }
  // An odd number of cache lines: stack tops then fall into different cache sets.
  const std::uint64_t lines = (bytes + need.tool + kCacheLine - 1) / kCacheLine;
  return {.dense = true, .bytes = (lines | 1U) * kCacheLine};
}

std::uint64_t local_bytes(const CompiledEntry& entry) {
  const bool calls = entry.stack_bytes == 0 && entry.thread_offset != 0;
  return entry.private_bytes + (calls ? cpu_abi::kCallLocalBytes : 0);
}

std::uint64_t live_block_bytes(const CompiledEntry& entry, std::uint64_t threads,
                               std::uint64_t dynamic_shared_bytes, std::uint64_t tool) {
  const StackNeed need{.kernel = entry.stack_bytes, .tool = tool};
  return threads * (thread_stack(need).bytes + local_bytes(entry)) +
         static_cast<std::uint64_t>(entry.shared_bytes) + dynamic_shared_bytes + kLiveRecordBytes;
}

std::uint64_t live_blocks_of_thread(bool cooperative, std::uint64_t blocks, std::uint64_t room,
                                    std::uint64_t threads) {
  const std::uint64_t live =
      cooperative ? blocks : std::min(blocks, std::max<std::uint64_t>(room, 1));
  return (live + threads - 1) / threads;
}

}  // namespace ws
