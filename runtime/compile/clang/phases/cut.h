// One phase of a kernel as a function of its own.
#pragma once

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
  bool same_way = false;  ///< All threads of a unit that begin it together end it together.
};

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
