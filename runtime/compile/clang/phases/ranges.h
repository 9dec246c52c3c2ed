// The least and the greatest value of a number over all threads of a unit, as code that runs once
// for all of them.
#pragma once

#include <array>
#include <map>
#include <optional>
#include <vector>

#include <llvm/Analysis/LoopInfo.h>
#include <llvm/IR/Dominators.h>
#include <llvm/IR/IRBuilder.h>

#include "runtime/compile/clang/phases/cut.h"

namespace ws::clang_engine {

/// Both are i64, of numbers with a sign. A value may have none between them where no thread
/// computes it; what is beyond 2^60 on either side may be anything there.
struct Range {
  llvm::Value* low = nullptr;
  llvm::Value* high = nullptr;
  /// It is one number, the same for all threads; `low` and `high` may still differ.
  bool same = false;
  /// Its numbers lie between -2^size and 2^size: what is small for sure needs no code that looks.
  unsigned size = 62;
};

/// A range of thread ids, or of their numbers.
inline constexpr unsigned kIdSize = 11;

/// The ranges that the code around a phase knows of the unit's threads.
struct UnitRanges {
  std::array<Range, 3> id;            ///< x, y, z.
  Range number;                       ///< In the block.
  std::vector<llvm::Value*> of_unit;  ///< The values that are parameters of the phase.
};

/// Finds ranges of the integers and addresses of one phase.
class Ranges {
 public:
  /// Numbers beyond it, on either side, are not known.
  static constexpr std::int64_t kMostKnown = std::int64_t{1} << 60U;
  static constexpr unsigned kWordBits = 64;

  /// @param builder  Where the code is to be; it may make blocks.
  Ranges(llvm::IRBuilder<>& builder, const Phase& phase, UnitRanges unit);

  /// The range of `value` over the threads that come to `at`, as far as the branches before it
  /// tell. @return Nothing where the value does not follow from ids and what the unit shares.
  std::optional<Range> of(const llvm::Value& value, const llvm::BasicBlock& at);

  /// An i1: the branches before `at` tell that no thread comes there. It may be false where none
  /// does.
  llvm::Value* nobody_at(const llvm::BasicBlock& at);

 private:
  using Found = std::optional<Range>;

  /// A comparison that has this result for all threads that come to a block.
  struct Condition {
    const llvm::ICmpInst* compare = nullptr;
    bool holds = true;
  };

  /// A loop over the numbers from `start` to `most`.
  struct CountedLoop {
    Range start;
    Range step;
    Range most;
    unsigned bits = 0;  ///< The width of what it compares.
  };

  static unsigned bits_in(const llvm::Value& value);

  Found find(const llvm::Value& value, const llvm::BasicBlock& at);
  Found of_argument(const llvm::Argument& argument);
  Found of_instruction(const llvm::Instruction& instruction, const llvm::BasicBlock& at);
  Found of_arithmetic(const llvm::BinaryOperator& operation, const llvm::BasicBlock& at);
  Found of_bits(const llvm::BinaryOperator& operation, const Range& left, const Range& right);
  Found of_division(const llvm::BinaryOperator& operation, const Range& left, const Range& right);
  Found of_cast(const llvm::CastInst& cast, const llvm::BasicBlock& at);
  Found of_call(const llvm::CallInst& call, const llvm::BasicBlock& at);
  Found of_address(const llvm::GetElementPtrInst& address, const llvm::BasicBlock& at);
  Found of_phi(const llvm::PHINode& phi);
  Found of_loop(const llvm::PHINode& phi, const llvm::Loop& loop);
  Found of_counter(const CountedLoop& loop, llvm::CmpInst::Predicate predicate, bool sees_next,
                   unsigned bits);
  llvm::Value* last_in_steps(const CountedLoop& loop, llvm::Value* most);
  Found of_slot(const llvm::LoadInst& load);

  const std::vector<Condition>& conditions(const llvm::BasicBlock& at);
  static void add_conditions(llvm::Value& value, bool holds, std::vector<Condition>& found);
  void refine(const llvm::Value& value, const llvm::BasicBlock& at, Range& range);
  void refine(Range& range, llvm::CmpInst::Predicate predicate, const Range& other);

  llvm::Value* number(std::int64_t value) {
    return builder_.getInt64(static_cast<std::uint64_t>(value));
  }

  Range constant(std::int64_t value) {
    return {number(value), number(value), true, llvm::APInt(64, value, true).getSignificantBits()};
  }

  llvm::Value* least(llvm::Value* a, llvm::Value* b);
  llvm::Value* greatest(llvm::Value* a, llvm::Value* b);
  Range same(llvm::Value* value);
  /// `range` where `known`, which is an i1, else any number of so many bits.
  Range where(llvm::Value* known, const Range& range, unsigned bits);
  /// The same where the numbers are numbers of so many bits.
  Range fitting(const Range& range, unsigned bits);
  Range sum(const Range& a, const Range& b);
  /// @param times  The same for all threads.
  Range product(const Range& a, const Range& times);
  Range both(const Range& a, const Range& b);
  /// Whether no number of `range` is beyond `most` on either side.
  llvm::Value* is_within(const Range& range, std::int64_t most);
  llvm::Value* is_natural(const Range& range);
  /// Whether there is none between its ends, which are known.
  llvm::Value* is_empty(const Range& range);

  llvm::IRBuilder<>& builder_;
  const Phase& phase_;
  const UnitRanges unit_;
  llvm::DominatorTree dominators_;
  llvm::LoopInfo loops_;
  std::map<std::pair<const llvm::Value*, const llvm::BasicBlock*>, Found> found_;
  std::map<const llvm::BasicBlock*, std::vector<Condition>> conditions_;
};

}  // namespace ws::clang_engine
