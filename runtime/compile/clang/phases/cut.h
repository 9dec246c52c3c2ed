// One phase of a kernel as a function of its own.
#pragma once

#include <map>
#include <vector>

#include <llvm/IR/Function.h>

#include "runtime/compile/clang/phases/values.h"

namespace ws::clang_engine {

/// i32 phase(Block*, x, y, z, number, alone, values of the unit..., args): runs a thread, whose
/// number in its block is an i64, from the start, or from behind a stop, to the next one. It
/// returns as cpu_abi::TurnFn, and says the same in its record unless same_way. Without `alone`,
/// all threads of the unit run the phase before anybody looks at what this one brings to the stop.
struct Phase {
  llvm::Function* function = nullptr;
  /// The slots that its parameters between `alone` and args are to be read from.
  std::vector<std::pair<llvm::Type*, Slot>> of_unit;
  /// Where it loads what its thread has carried over the stop.
  std::map<const llvm::Instruction*, Slot> of_threads;
  /// It leaves the values of the unit that it begins with as they are, when it ends where it began.
  bool changes_no_unit_value = false;
  bool same_way = false;  ///< All threads of a unit that begin it together end it together.
};

/// The places of a phase's parameters: x, y, z stand before them.
inline constexpr unsigned kNumberParameter = 4;
inline constexpr unsigned kAloneParameter = 5;
inline constexpr unsigned kFirstUnitValue = 6;

/// The thread function that is cut.
struct CutSource {
  llvm::Function& thread;
  const std::vector<Stop>& stops;
  const CarriedValues& values;
  Uniformity* uniformity;  ///< Null: nothing is known to be the same.
};

/// @param number  Of the phase: 0 is the kernel's start, k what comes behind stop k - 1.
Phase cut_phase(const CutSource& source, std::size_t number);

}  // namespace ws::clang_engine
