// The values that threads carry over the stops of a kernel, and where they are kept.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <vector>

#include <llvm/IR/Function.h>
#include <llvm/IR/Instructions.h>

#include "runtime/compile/clang/phases/stops.h"
#include "runtime/compile/clang/phases/uniform.h"

namespace ws::clang_engine {

/// Where a value is kept while its thread waits.
struct Slot {
  bool of_unit = false;      ///< One for all threads of a unit; else one for each thread.
  std::uint64_t offset = 0;  ///< In the unit's values; or in a thread's, as in cpu_abi.
};

class CarriedValues {
 public:
  /// @param function    Its stops have blocks of their own.
  /// @param uniformity  Null: no value is taken to be the same for a unit.
  CarriedValues(llvm::Function& function, const std::vector<Stop>& stops,
                const Uniformity* uniformity);

  /// The values that the thread that goes on behind stop `number` may still need: the stop's own
  /// result is not among them.
  [[nodiscard]] const std::vector<llvm::Instruction*>& needed_after(std::size_t number) const {
    return needed_[number];
  }

  /// True for what follows from the launch and the thread's id alone: it is computed again.
  [[nodiscard]] bool is_computed_again(const llvm::Value& value) const;

  /// The slot of a value that is needed and not computed again.
  [[nodiscard]] const Slot& slot(const llvm::Instruction& value) const { return slots_.at(&value); }

  /// The slot in which threads carry `value`, or what it has the bits of, over stop `number`;
  /// nothing where they do not carry it.
  [[nodiscard]] std::optional<Slot> slot_over(std::size_t number, const llvm::Value& value) const;

  /// Where a thread counts the stops behind which lanes read from each other, as an i32 at an
  /// offset as in Slot.
  [[nodiscard]] std::uint64_t meetings_at() const { return meetings_at_; }

  [[nodiscard]] std::uint64_t thread_bytes() const { return thread_bytes_; }

  [[nodiscard]] std::uint64_t unit_bytes() const { return unit_bytes_; }

 private:
  void find_needed(llvm::Function& function, const std::vector<Stop>& stops);
  void place(const llvm::DataLayout& layout, const llvm::Instruction& value, bool of_unit);
  std::size_t cost_again(const llvm::Value& value) const;

  std::vector<std::vector<llvm::Instruction*>> needed_;
  std::map<const llvm::Instruction*, Slot> slots_;
  mutable std::map<const llvm::Value*, std::size_t> costs_;
  std::uint64_t meetings_at_ = 0;
  std::uint64_t thread_bytes_ = 0;
  std::uint64_t unit_bytes_ = 0;
};

/// The bytes of a value in its slot: a bit takes a byte.
llvm::Type* type_in_slot(llvm::Type* type);

}  // namespace ws::clang_engine
