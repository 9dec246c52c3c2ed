// A thread of a block that has a stack of its own, and where it waits.
#pragma once

#include <array>
#include <cstdint>

#include "runtime/device/cpu/abi.h"
#include "runtime/device/run_reply.h"

namespace ws::cpu {

enum class FiberState : std::uint8_t {
  kReady,
  kAtBarrier,
  kAtWarpOp,
  kAtMeeting,   ///< Asks which lanes are here.
  kLooksAgain,  ///< Waits for what another thread writes: looks for it when the others have run.
  kAtStretch,
  kDone,
};

struct Fiber {
  void* stack_pointer = nullptr;
  FiberState state = FiberState::kReady;
  std::array<std::uint32_t, 3> thread = {0, 0, 0};
  std::uint32_t site = kNoPlace;
  cpu_abi::WarpMode mode = cpu_abi::WarpMode::kSync;
  std::uint32_t mask = 0;
  std::uint32_t lane = 0;  ///< The operation's lane argument.
  std::uint32_t width = 32;
  std::uint64_t value = 0;        ///< In: the operand. Out: the result.
  std::uint32_t stretch = 0;      ///< kAtStretch: the one that it is about to run.
  std::uint32_t passed_over = 0;  ///< How often others of its warp went first.
  std::uint32_t yields = 0;       ///< Those that it has come to.
  std::uint64_t local_used = 0;   ///< The part of its local memory that is in use.
};

/// The local memory of the threads of a block.
struct LocalMemory {
  char* base = nullptr;
  std::uint64_t stride = 0;        ///< The size of one thread's part.
  std::uint64_t kernel_bytes = 0;  ///< For the kernel's own arrays; the rest is for what it calls.

  [[nodiscard]] std::uint64_t bytes(std::uint64_t threads) const { return stride * threads; }
};

}  // namespace ws::cpu
