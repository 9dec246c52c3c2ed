#include "runtime/device/cpu/leftovers.h"

#include <algorithm>
#include <cstddef>

#include <sys/mman.h>

namespace ws::cpu {
namespace {

void poison(char* memory, std::uint64_t bytes, KeyedStream& stream, std::uint64_t offset = 0) {
  stream.read(offset, {reinterpret_cast<std::byte*>(memory), bytes});
}

}  // namespace

void poison_local(const LocalMemory& local, std::uint64_t threads, const StreamKey& key) {
  if (local.stride == 0) {
    return;
  }
  KeyedStream stream(key);
  if (local.stride == local.kernel_bytes) {
    poison(local.base, local.bytes(threads), stream);
    return;
  }
  ::madvise(local.base, local.bytes(threads), MADV_DONTNEED);
  for (std::uint64_t i = 0; i < threads; ++i) {
    poison(local.base + i * local.stride, local.kernel_bytes, stream, i * local.kernel_bytes);
  }
}

void poison_shared(char* shared, std::uint64_t bytes, const StreamKey& key) {
  if (bytes != 0) {
    KeyedStream stream(key);
    poison(shared, bytes, stream);
  }
}

void zero_leftovers(const LocalMemory& local, std::uint64_t threads, std::span<char> shared) {
  std::fill(shared.begin(), shared.end(), '\0');
  if (local.stride != 0) {
    ::madvise(local.base, local.bytes(threads), MADV_DONTNEED);
  }
}

}  // namespace ws::cpu
