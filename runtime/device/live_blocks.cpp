#include "runtime/device/live_blocks.h"

#include "runtime/device/cpu/abi.h"

namespace ws {
namespace {

constexpr std::uint64_t kCacheLine = 64;
/// Runtime functions and library calls below a kernel's own frame.
constexpr std::uint64_t kRuntimeStackBytes = 3072;
/// Kernels that need more get guarded stacks.
constexpr std::uint64_t kMostDenseBytes = 16 << 10U;

}  // namespace

ThreadStack thread_stack(std::uint64_t stack_bytes) {
  const std::uint64_t need = stack_bytes + kRuntimeStackBytes;
  if (stack_bytes == 0 || need > kMostDenseBytes) {
    return {.dense = false, .bytes = kGuardedStackBytes + kStackGuardBytes};
  }
  // An odd number of cache lines: stack tops then fall into different cache sets.
  return {.dense = true, .bytes = ((need + kCacheLine - 1) / kCacheLine | 1U) * kCacheLine};
}

std::uint64_t local_bytes(const CompiledEntry& entry) {
  const bool calls = entry.stack_bytes == 0 && entry.thread_offset != 0;
  return entry.private_bytes + (calls ? cpu_abi::kCallLocalBytes : 0);
}

std::uint64_t live_block_bytes(const CompiledEntry& entry, std::uint64_t threads,
                               std::uint64_t dynamic_shared_bytes) {
  return threads * (thread_stack(entry.stack_bytes).bytes + local_bytes(entry)) +
         static_cast<std::uint64_t>(entry.shared_bytes) + dynamic_shared_bytes;
}

}  // namespace ws
