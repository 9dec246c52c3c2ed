// Makes the addresses of a function lead into the kernel's region, and says which of them do.
#pragma once

#include <cstdint>
#include <map>
#include <tuple>
#include <vector>

#include <llvm/Analysis/ScalarEvolution.h>
#include <llvm/IR/Dominators.h>
#include <llvm/IR/IRBuilder.h>

#include "runtime/compile/clang/address_form.h"

namespace ws::clang_engine {

/// For one function, whose promises are forgotten (promises.h). It adds instructions only, before
/// the first use of what they make.
class SafeAddresses {
 public:
  SafeAddresses(llvm::Function& function, const llvm::DominatorTree& dominators,
                llvm::ScalarEvolution& evolution)
      : function_(function),
        dominators_(dominators),
        evolution_(evolution) {}

  /// `pointer`, which the worker gave, lies in the region.
  void trust(llvm::Value* pointer) { confined_[pointer] = pointer; }

  /// The same address, or an equal one where it lies in the region: in the region and the guards
  /// on both its sides, far enough from their ends for any access of one instruction.
  llvm::Value* near_region(llvm::Value* address);

  /// The same address, or an equal one where it lies in the region's window: in the window.
  llvm::Value* in_window(llvm::Value* pointer);

 private:
  using Term = std::tuple<llvm::Value*, llvm::Value*, std::int64_t>;

  llvm::Value* anchor(const AddressForm& form);
  llvm::Value* moved(llvm::Value* base, const AddressTerm& term);
  llvm::Value* moved_at_once(llvm::Value* base, const AddressTerm& term);
  void in_order(std::vector<AddressTerm>& terms) const;
  [[nodiscard]] bool comes_before(const llvm::Value* first, const llvm::Value* second) const;
  llvm::IRBuilder<> behind(std::initializer_list<llvm::Value*> values) const;

  llvm::Function& function_;
  const llvm::DominatorTree& dominators_;
  llvm::ScalarEvolution& evolution_;
  std::map<llvm::Value*, llvm::Value*> confined_;  ///< A pointer -> the same in the window.
  std::map<std::pair<llvm::Value*, std::vector<Term>>, llvm::Value*> anchors_;
  std::map<std::pair<llvm::Value*, Term>, llvm::Value*> moved_;
};

}  // namespace ws::clang_engine
