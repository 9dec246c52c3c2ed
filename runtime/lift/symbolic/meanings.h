// The meanings of functions and PTX instructions: the table in meanings.def.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "runtime/lift/tree/tree.h"

namespace ws::lift {

enum class MeaningKind : std::uint8_t { kPtx, kFunction };

enum class Effect : std::uint8_t {
  kValue,
  kMemory,
  kCopy,
  kProduct,
  kSync,
  kShuffle,
  kQuery,
  kHint,
};

/// The operations that the lifter treats each in its own way; by what the table has for them.
enum class Handling : std::uint8_t {
  kOther,
  kBlockBarrier,
  kWarpBarrier,
  kFence,
  kLoad,
  kStore,
  kAtomic,
  kAddress,
  kConvert,
  kFma,
  kReciprocal,
  kMinimum,
  kMaximum,
  kShuffle,
  kShuffleXor,
  kShuffleUp,
  kShuffleDown,
  kInit,  ///< This and the next ones are of mbarriers.
  kArrive,
  kExpect,  ///< With an arrival or without.
  kWait,    ///< For other threads, at a barrier that is none of the block's or the warp's own.
};

struct Meaning {
  std::string_view names;
  MeaningKind kind = MeaningKind::kPtx;
  std::string_view roles;
  std::string_view operation;
  Effect effect = Effect::kValue;
  Handling handling = Handling::kOther;  ///< By `operation`.
  std::string_view meaning;
};

std::span<const Meaning> meanings();

/// Whether it is a copy, a product or a synchronisation; false of nullptr.
bool orchestrates(const Meaning* meaning);

/// By a function's name; nullptr: not in the table.
const Meaning* meaning_of_function(std::string_view name);
/// By one PTX instruction, "cp.async.cg.shared.global [%0], [%1], 16"; the longest name decides.
const Meaning* meaning_of_ptx(std::string_view instruction);

/// The instructions of an inline assembly: without labels, predicates, braces, registers that are
/// declared, and comments.
std::vector<std::string> instructions_of(std::string_view text);

/// Where something of the table stands in the source, or PTX that is not in it.
struct Annotation {
  Range range;
  std::string name;                  ///< As the source has it.
  const Meaning* meaning = nullptr;  ///< nullptr: PTX that is not in the table.
};

/// The annotations of all functions, in the order of the source.
std::vector<Annotation> annotations(const Tree& tree);

/// The region's text with a comment after every line that has something of the table.
std::string annotated_source(const Tree& tree, std::string_view region, std::string_view text);

}  // namespace ws::lift
