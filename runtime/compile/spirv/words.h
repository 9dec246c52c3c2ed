// The words of SPIR-V that the product reads and writes: a small part of the language.
// Source: SPIR-V specification 1.6, sections 2.3 and 3.
#pragma once

#include <cstdint>

namespace ws::spirv {

inline constexpr std::uint32_t kMagic = 0x07230203;
inline constexpr std::size_t kHeaderWords = 5;  ///< Magic, version, generator, bound, schema.
inline constexpr std::size_t kBoundWord = 3;
inline constexpr unsigned kLengthShift = 16;  ///< An instruction's length in its first word.

// NOLINTNEXTLINE(performance-enum-size): opcodes have 16 bits in a word.
enum class Op : std::uint32_t {
  kUndef = 1,
  kSource = 3,
  kName = 5,
  kMemberName = 6,
  kString = 7,
  kLine = 8,
  kExtInstImport = 11,
  kExtInst = 12,
  kEntryPoint = 15,
  kExecutionMode = 16,
  kCapability = 17,
  kTypeVoid = 19,
  kTypeBool = 20,
  kTypeInt = 21,
  kTypeFloat = 22,
  kTypeVector = 23,
  kTypeMatrix = 24,
  kTypeArray = 28,
  kTypeRuntimeArray = 29,
  kTypeStruct = 30,
  kTypePointer = 32,
  kTypeFunction = 33,
  kConstantTrue = 41,
  kConstantFalse = 42,
  kConstant = 43,
  kConstantComposite = 44,
  kConstantNull = 46,
  kSpecConstant = 50,
  kSpecConstantComposite = 51,
  kSpecConstantOp = 52,
  kFunction = 54,
  kFunctionParameter = 55,
  kFunctionEnd = 56,
  kFunctionCall = 57,
  kVariable = 59,
  kLoad = 61,
  kStore = 62,
  kCopyMemory = 63,
  kAccessChain = 65,
  kInBoundsAccessChain = 66,
  kArrayLength = 68,
  kDecorate = 71,
  kMemberDecorate = 72,
  kUConvert = 113,
  kSConvert = 114,
  kBitcast = 124,
  kIAdd = 128,
  kLogicalAnd = 167,
  kSelect = 169,
  kIEqual = 170,
  kINotEqual = 171,
  kUGreaterThanEqual = 174,
  kULessThan = 176,
  kControlBarrier = 224,
  kMemoryBarrier = 225,
  kAtomicStore = 228,
  kAtomicCompareExchange = 230,
  kPhi = 245,
  kLoopMerge = 246,
  kSelectionMerge = 247,
  kLabel = 248,
  kBranch = 249,
  kBranchConditional = 250,
  kSwitch = 251,
  kReturn = 253,
  kReturnValue = 254,
  kNoLine = 317,
  kExecutionModeId = 331,
};

// NOLINTNEXTLINE(performance-enum-size): a word.
enum class StorageClass : std::uint32_t {
  kUniformConstant = 0,
  kInput = 1,
  kUniform = 2,
  kWorkgroup = 4,
  kPrivate = 6,
  kFunction = 7,
  kPushConstant = 9,
  kStorageBuffer = 12,
};

// NOLINTNEXTLINE(performance-enum-size): a word.
enum class Decoration : std::uint32_t {
  kBlock = 2,
  kBufferBlock = 3,
  kArrayStride = 6,
  kBuiltIn = 11,
  kNonWritable = 24,
  kBinding = 33,
  kDescriptorSet = 34,
  kOffset = 35,
};

inline constexpr std::uint32_t kWordBits = 32;
/// Operands of an access chain.
inline constexpr std::size_t kBase = 2;
inline constexpr std::size_t kFirstIndex = 3;

inline constexpr std::uint32_t kModelGlCompute = 5;
inline constexpr std::uint32_t kModeLocalSize = 17;
inline constexpr std::uint32_t kBuiltInWorkgroupSize = 25;
inline constexpr std::uint32_t kBuiltInWorkgroupId = 26;
inline constexpr std::uint32_t kBuiltInLocalInvocationId = 27;

}  // namespace ws::spirv
