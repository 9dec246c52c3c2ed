// Asynchronous copies from global to shared memory, past the registers: sm_80 and later.
// PTX ISA: cp.async. Both addresses are multiples of the number of bytes.
#pragma once

namespace ws {

__device__ __forceinline__ unsigned shared_address(const void* pointer) {
  return static_cast<unsigned>(__cvta_generic_to_shared(pointer));
}

// Copies 16 bytes, or writes 16 zeros where not `inside`; `from` must be an address of the buffer
// either way, though nothing is read of it then. Past L1: tiles are read once.
__device__ __forceinline__ void cp_async_16(void* to, const void* from, bool inside = true) {
  asm volatile("cp.async.cg.shared.global [%0], [%1], 16, %2;" ::"r"(shared_address(to)),
               "l"(from), "r"(inside ? 16 : 0)
               : "memory");
}

// The same for 4 bytes, for rows that do not begin at multiples of 16.
__device__ __forceinline__ void cp_async_4(void* to, const void* from, bool inside = true) {
  asm volatile("cp.async.ca.shared.global [%0], [%1], 4, %2;" ::"r"(shared_address(to)),
               "l"(from), "r"(inside ? 4 : 0)
               : "memory");
}

// Ends a group of this thread's copies, which may be empty.
__device__ __forceinline__ void cp_async_commit() {
  asm volatile("cp.async.commit_group;" ::: "memory");
}

// Waits until at most LEFT of this thread's groups are on their way. A barrier behind it makes
// everybody's copies visible to all.
template <int LEFT>
__device__ __forceinline__ void cp_async_wait() {
  asm volatile("cp.async.wait_group %0;" ::"n"(LEFT) : "memory");
}

}  // namespace ws
