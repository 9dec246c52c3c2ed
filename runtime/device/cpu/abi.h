// The contract between compiled kernels and the worker's runtime: names, structures, modes. The
// plug-in writes it into machine code; runtime/device/cpu supplies the functions.
#pragma once

#include <array>
#include <cstdint>

namespace ws::cpu_abi {

inline constexpr int kMaxArgs = 64;

/// The block being run, one per worker thread; kernels read it through a hidden first parameter.
/// Order and types are known to the plug-in (retarget.cpp): change both or neither.
struct Block {
  std::array<std::uint32_t, 3> block_idx;  // 0
  std::array<std::uint32_t, 3> block_dim;  // 12
  std::array<std::uint32_t, 3> grid_dim;   // 24
  std::uint32_t dynamic_shared_bytes;      // 36
  char* shared;                            // 40: static, then dynamic shared memory
  const std::uint64_t* arg_bounds;         // 48: [low, high) of pointer argument k at 2k, 2k+1
  std::uint64_t shared_bytes;              // 56: static and dynamic
  char* local;                             // 64: local memory of the block's first thread
  std::uint64_t local_stride;              // 72: to that of the next thread
  // For phases. Values of threads lie in arrays, one element for each of padded_threads.
  char* thread_values;                    // 80
  char* unit_values;                      // 88: of the unit that runs
  const char* unit_values_before;         // 96: as they were before the phase of any of its threads
  std::uint32_t padded_threads;           // 104: threads of the block, rounded up to whole warps
  std::array<std::uint32_t, 3> box_low;   // 108: the threads of the unit that runs
  std::array<std::uint32_t, 3> box_high;  // 120: behind its last one
  std::uint32_t cooperative;              // 132: 1: all blocks of the grid live at the same time
};

/// A thread's record of where it is and what it brought to a stop: offsets that are to be
/// multiplied by padded_threads. The values that it carries over stops follow.
inline constexpr unsigned kPhaseState = 0;    ///< u32: its next phase; kPhaseDone.
inline constexpr unsigned kPhaseMask = 4;     ///< u32: mask of a warp operation.
inline constexpr unsigned kPhaseLane = 8;     ///< u32
inline constexpr unsigned kPhaseWidth = 12;   ///< u32
inline constexpr unsigned kPhaseValue = 16;   ///< u64: operand, or a barrier's predicate.
inline constexpr unsigned kPhaseResult = 24;  ///< u64: what the stop gives.
/// u32: the same two, where both have 32 bits and all lanes of a warp go on together.
inline constexpr unsigned kPhaseNarrowValue = 32;
inline constexpr unsigned kPhaseNarrowResult = 36;
inline constexpr unsigned kPhaseValues = 40;  ///< The thread's own values.

inline constexpr std::uint32_t kPhaseDone = 0xffffffff;
/// A unit's threads go on from different phases: those of kPhaseState.
inline constexpr std::uint32_t kPhaseMixed = 0xfffffffe;
/// With the number of a phase: all threads of the unit are at its start, and one of its checks may
/// fail. They have to run it one by one.
inline constexpr std::uint32_t kPhaseAlone = 0x80000000;

inline constexpr unsigned kBlockIdxOffset = 0;
inline constexpr unsigned kBlockDimOffset = 12;
inline constexpr unsigned kGridDimOffset = 24;
inline constexpr unsigned kDynamicSharedOffset = 36;
inline constexpr unsigned kSharedOffset = 40;
inline constexpr unsigned kArgBoundsOffset = 48;
inline constexpr unsigned kSharedBytesOffset = 56;
inline constexpr unsigned kLocalOffset = 64;
inline constexpr unsigned kLocalStrideOffset = 72;
inline constexpr unsigned kThreadValuesOffset = 80;
inline constexpr unsigned kUnitValuesOffset = 88;
inline constexpr unsigned kUnitValuesBeforeOffset = 96;
inline constexpr unsigned kPaddedThreadsOffset = 104;
inline constexpr unsigned kBoxLowOffset = 108;
inline constexpr unsigned kBoxHighOffset = 120;
inline constexpr unsigned kCooperativeOffset = 132;

/// All memory that a kernel can reach lies in [kRegionBase, kRegionBase + kRegionBytes) of its
/// worker: code and data of its image, local and shared memory, buffers. The region lies in the
/// middle of a window, and nothing else is mapped in the window or within kRegionGuard on either
/// side of it. Compiled code forces each address into the window, or a part of it, from which the
/// rest leads away by less than a guard (clang/safe_address.h). An address in the region stays as
/// it is, as such a part of it lies in the window.
inline constexpr std::uint64_t kRegionBytes = std::uint64_t{1} << 36U;
inline constexpr std::uint64_t kRegionGuard = std::uint64_t{1} << 41U;
inline constexpr std::uint64_t kWindowBase = std::uint64_t{1} << 45U;
inline constexpr std::uint64_t kWindowBytes = std::uint64_t{1} << 42U;
inline constexpr std::uint64_t kRegionBase = kWindowBase + kWindowBytes / 2;

/// The most local memory that the arrays of one function may take.
inline constexpr std::uint64_t kMaxLocalBytes = 128 << 10U;
/// Local memory of a thread's calls of functions that were not inlined, beyond its kernel's own.
inline constexpr std::uint64_t kCallLocalBytes = 64 << 10U;
inline constexpr std::uint64_t kLocalAlignment = 64;

using ThreadFn = void (*)(Block*, std::uint32_t, std::uint32_t, std::uint32_t, void** args);
using BlockFn = void (*)(Block*, void** args);
/// Runs thread (x, y, z) of the block from `phase` to its next stop.
/// @return The phase behind the stop, or kPhaseDone.
using TurnFn = std::uint32_t (*)(Block*, std::uint32_t x, std::uint32_t y, std::uint32_t z,
                                 std::uint32_t phase, void** args);
/// Runs the threads of a unit from `phase` to a stop that needs the worker: those of the box, or
/// the 32 that begin with its first one.
/// @return As TurnFn, for all of them; or kPhaseMixed, or kPhaseAlone with a number.
using RowsFn = std::uint32_t (*)(Block*, std::uint32_t phase, void** args);

// All are passed in 32-bit registers by compiled kernels.
// NOLINTBEGIN(performance-enum-size)

/// The object that an out-of-bounds access was aimed at.
enum class Object : std::uint32_t {
  kArgument = 0,  ///< id = index of the launch argument
  kVariable = 1,  ///< id = index into Image::objects
  kLocal = 2,     ///< A thread's own array.
  kDynamicShared = 3,
  kUnknown = 4,  ///< Looked up by address.
};

/// Flags of an access that a watched build tells of. An update has the first two.
inline constexpr std::uint32_t kWatchRead = 1;
inline constexpr std::uint32_t kWatchWrite = 2;
inline constexpr std::uint32_t kWatchStrong = 4;  ///< Atomic or volatile.
inline constexpr std::uint32_t kWatchValue = 8;   ///< The value that is written is told.
inline constexpr std::uint32_t kWatchBlock = 16;  ///< Strong, or a fence, for its block only.
/// Strong as it is volatile, and no load that a thread repeats until another one has written.
inline constexpr std::uint32_t kWatchLoose = 32;
inline constexpr std::uint64_t kMostWatchedValueBytes = 8;

enum class BarrierMode : std::uint32_t {
  kPlain,
  kCount,
  kAnd,
  kOr,
  kCut,   ///< Only in a PhaseStop: no barrier; a phase ends there and the next one begins.
  kGrid,  ///< For all blocks; only by ws_rt_barrier_of_grid().
};

/// Barriers of a block with a number: 16 of PTX, and one for thread_block::barrier_arrive().
inline constexpr std::uint32_t kPtxBarriers = 16;
inline constexpr std::uint32_t kSplitBarrier = 16;
inline constexpr std::uint32_t kNamedBarriers = 17;

/// Flags of ws_rt_barrier_arrive.
inline constexpr std::uint32_t kBarrierTrue = 1;    ///< The thread's predicate.
inline constexpr std::uint32_t kBarrierNoWait = 2;  ///< The thread does not wait there.
inline constexpr std::uint32_t kBarrierSplit = 4;   ///< At kSplitBarrier, whatever the number says.

enum class WarpMode : std::uint32_t {
  kSync,
  kShfl,
  kShflUp,
  kShflDown,
  kShflXor,
  kAll,
  kAny,
  kBallot,
  kAdd,
  kMinU,
  kMaxU,
  kMinS,
  kMaxS,
  kAnd,
  kOr,
  kXor,
  kMatchAny,
};

/// Operations of ws_rt_rounded_f32 and ws_rt_rounded_f64.
enum class Rounded : std::uint32_t { kAdd, kSub, kMul, kFma, kDiv, kSqrt };

/// How they round, as the processor counts the ways.
enum class RoundingMode : std::uint32_t { kNearest, kDown, kUp, kZero };

/// Modes of ws_rt_trap.
enum class Trap : std::uint32_t {
  kTrap = 0,
  kAssert = 1,
  kDivideByZero = 2,
  kNoTexture = 3,       ///< A handle that the plan did not pass.
  kTextureType = 4,     ///< It is read as elements of another type, or as another number of them.
  kTextureShape = 5,    ///< It is read by a function for textures of another kind.
  kTextureMipmaps = 6,  ///< A level beyond the only one.
};

/// Words of ws_rt_texture_word: of a texture that is none all are 0.
enum class TextureWord : std::uint32_t { kModes, kWidth, kHeight, kDepth };

// NOLINTEND(performance-enum-size)

/// TextureWord::kModes: the bits at which its parts begin. headers/warpsmith_texture.h reads them.
inline constexpr unsigned kTextureStored = 0;     ///< 4 bits: TextureElement in memory.
inline constexpr unsigned kTextureRead = 4;       ///< 4 bits: TextureElement of what is read.
inline constexpr unsigned kTextureChannels = 8;   ///< 4 bits: 1, 2 or 4.
inline constexpr unsigned kTextureKind = 12;      ///< 4 bits: dimensions, 4 more where layered.
inline constexpr unsigned kTextureAddress = 16;   ///< 2 bits: as TextureModes.
inline constexpr unsigned kTextureLinear = 18;    ///< 1 bit.
inline constexpr unsigned kTextureNormal = 19;    ///< 1 bit: normalized coordinates.
inline constexpr unsigned kTextureKindFetch = 8;  ///< The kind for tex1Dfetch().
inline constexpr unsigned kTextureKindLayered = 4;

enum class TextureElement : std::uint8_t {
  kF32 = 1,
  kI8 = 2,
  kU8 = 3,
  kI16 = 4,
  kU16 = 5,
  kI32 = 6,
  kU32 = 7,
  kF16 = 8,
};

}  // namespace ws::cpu_abi
