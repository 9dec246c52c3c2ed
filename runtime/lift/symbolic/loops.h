// Loops of a symbolic run.
#pragma once

#include "runtime/lift/symbolic/effects.h"
#include "runtime/lift/symbolic/rounds.h"

namespace ws::lift {

/// Unrolls loops whose number of rounds is known and small; others run once. For one thread.
class Loops {
 public:
  /// Why a part ends at a loop.
  static constexpr const char* kUnknownRounds = "a loop whose rounds are not known";

  /// @param needed  As for Rounds.
  Loops(const Basis& basis, const Surroundings& around, const std::set<ObjectId>* needed);

  /// @param node  kFor, kWhile or kDo.
  /// @errors kUnsupported: a statement is not understood, or the rounds cannot be counted.
  Status run(const Node& node);

 private:
  Result<bool> is_short(const LoopParts& parts);
  Status unroll(const LoopParts& parts);
  Status symbolic_loop(const LoopParts& parts);

  const Basis basis_;
  const Surroundings around_;
  const Tree& tree_;
  const RunMode& mode_;
  Arithmetic& numbers_;
  Runner& runner_;
  Steps& steps_;
  Guards& guards_;
  Control& control_;
  Effects effects_;
  Rounds rounds_;
};

}  // namespace ws::lift
