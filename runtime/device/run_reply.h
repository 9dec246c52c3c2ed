// The answer of a run worker to one doorbell: a plain struct, so that a signal handler can send it.
#pragma once

#include <array>
#include <cstdint>

namespace ws {

// NOLINTNEXTLINE(performance-enum-size): a field of 32 bits in the struct below.
enum class RunStatus : std::uint32_t {
  kOk,
  kOutOfBounds,
  kTrap,  ///< __trap or a failed assert; `detail` says which.
  kDivideByZero,
  kBarrierDivergence,  ///< Threads wait at `site` and at `other_site`.
  kDeadlock,           ///< Likewise, and no thread can continue.
  /// `waiting` threads of a block wait for the whole grid, and `other_waiting` threads of the block
  /// have ended; or so many blocks of the grid, where `detail` is kEndedBlocks.
  kGridDivergence,
  kNotCooperative,  ///< A barrier of the whole grid in a launch that is not cooperative.
  /// A barrier of some threads of a block that no block has: `detail` says why, `waiting` is the
  /// number that the thread gave, `other_waiting` the block's threads.
  kBadBarrier,
  kSignal,  ///< The kernel crashed; `code_offset` is where.
  kStackOverflow,
  kMisaligned,   ///< As kOutOfBounds; `access_bytes` is what the address must be a multiple of.
  kStopped,      ///< The server's SIGUSR1: past the deadline; `code_offset` is where it was.
  kDriverError,  ///< A GPU's driver refused a launch or reported a fault; `detail` is its code.
  kTampered,     ///< A timed launch wrote to memory that the worker restores launches from.
};

inline constexpr std::uint32_t kNoPlace = 0xffffffffU;

/// A frame of this one byte, instead of a doorbell, asks a run worker for its counters.
inline constexpr char kAskCounters = 'c';
/// The same for the races that its launches had; only of a watched build.
inline constexpr char kAskRaces = 'r';

/// RunReply::detail of kGridDivergence: who has ended.
inline constexpr std::uint32_t kEndedThreads = 0;
inline constexpr std::uint32_t kEndedBlocks = 1;

/// RunReply::detail of kBadBarrier: what `waiting` is.
inline constexpr std::uint32_t kBarrierNumber = 0;
inline constexpr std::uint32_t kBarrierCount = 1;   ///< A count of threads that is no whole warps.
inline constexpr std::uint32_t kBarrierOfMore = 2;  ///< A count of more than the block has.

struct RunReply {
  RunStatus status = RunStatus::kOk;
  std::uint32_t detail = 0;  ///< cpu_abi::Trap, for kTrap; the driver's code, for kDriverError.
  std::uint32_t object = 0;  ///< cpu_abi::Object, for kOutOfBounds and kMisaligned.
  std::uint32_t object_id = 0;
  std::int64_t offset = 0;  ///< The distance of the access from the object's start, in bytes.
  std::int64_t length = 0;  ///< The size of the object, in bytes.
  std::uint32_t access_bytes = 0;
  std::uint32_t write = 0;
  std::uint32_t site = kNoPlace;  ///< Index into Image::sites.
  std::uint32_t other_site = kNoPlace;
  std::uint32_t waiting = 0;        ///< Threads at `site`.
  std::uint32_t other_waiting = 0;  ///< Threads at `other_site`.
  std::array<std::uint32_t, 3> block = {0, 0, 0};
  std::array<std::uint32_t, 3> thread = {0, 0, 0};
  std::uint32_t has_block = 0;
  std::uint32_t has_thread = 0;
  std::int32_t signal = 0;
  std::uint32_t step = 0;         ///< The launch of the plan that was running.
  std::uint64_t code_offset = 0;  ///< In the image; 0 = outside it.
  /// kOk, where RunMode asked: one of Image::symbols that the launch left changed; else kNoPlace.
  std::uint32_t changed_variable = kNoPlace;
};

}  // namespace ws
