// Loops over the threads of a block, x innermost.
#pragma once

#include <array>

#include <llvm/IR/Function.h>
#include <llvm/IR/IRBuilder.h>

namespace ws::clang_engine {

/// A nest of three loops that is being built: first open(), then the body, then close().
class ThreadLoops {
 public:
  using Id = std::array<llvm::Value*, 3>;

  enum class Unroll : bool { kAsUseful, kNever };

  /// Runs the threads with low <= id < high on each axis; there must be one.
  /// @return  The id of the thread whose body is to be built next.
  Id open(llvm::IRBuilder<>& builder, const Id& low, const Id& high);

  /// The code that is built from here on runs when all threads have run. Instructions of the body
  /// that are in the access group `group` use memory that no other thread uses meanwhile.
  /// @param unroll  Of the innermost loop.
  void close(llvm::IRBuilder<>& builder, llvm::MDNode* group, Unroll unroll = Unroll::kAsUseful);

  /// The bits of `value`, which the body has computed, over all threads: of And or Or. It holds
  /// behind the loops.
  llvm::Value* fold(llvm::IRBuilder<>& builder, llvm::Instruction::BinaryOps operation,
                    llvm::Value* value);

 private:
  struct Loop {
    llvm::BasicBlock* header = nullptr;
    llvm::BasicBlock* latch = nullptr;
    llvm::PHINode* index = nullptr;
  };

  std::array<Loop, 3> loops_;  ///< By axis.
  std::array<llvm::BasicBlock*, 3> before_{};
  Id high_{};
};

/// Puts the instructions of `function` that use memory into `group`: CUDA threads between two
/// barriers are independent, so the vectoriser may reorder them.
void put_in_access_group(llvm::Function& function, llvm::MDNode* group);

/// Inlines `call` of `callee` into its caller, whose line table then has the callee's places.
void inline_with_lines(llvm::CallInst& call, const llvm::Function& callee);

}  // namespace ws::clang_engine
