// Jumps between the statements of one inline `asm`: the blocks that they need, and the values that
// registers have where blocks meet.
#pragma once

#include <map>
#include <vector>

#include "runtime/compile/clang/ptx/machine.h"

namespace ws::clang_engine::ptx {

class Flow {
 public:
  /// @param call  The asm statement. It moves along: it stands behind all code that was made.
  Flow(Machine& machine, llvm::CallInst& call, const Program& program);

  /// Before the statement of this index is made, and at the end: begins a block where labels stand.
  void reach(std::size_t statement);
  /// Goes to a label where the condition is true, at run time. Null: always.
  void jump(unsigned label, llvm::Value* condition);
  /// Ends the thread where the condition is true. Null: always.
  void leave(llvm::Value* condition);
  /// Leads the jumps to their labels. All code is made, and nobody reads registers any more.
  void finish();

 private:
  /// Code that is entered at its start only.
  struct Block {
    llvm::BasicBlock* code = nullptr;
    std::vector<llvm::PHINode*> registers;
  };

  /// A place where the thread may end.
  struct End {
    llvm::BasicBlock* from = nullptr;
    llvm::Value* condition = nullptr;
  };

  struct Jump {
    llvm::BasicBlock* from = nullptr;
    unsigned label = 0;
    llvm::Value* condition = nullptr;
    std::vector<llvm::Value*> registers;
  };

  /// @param falls_through  Code before it goes on here.
  void begin_block(const std::vector<llvm::Value*>& registers, bool falls_through);
  void make_branch(const Jump& jump);
  void branch(llvm::BasicBlock& from, llvm::BasicBlock& target, llvm::Value* condition);

  Machine& machine_;
  llvm::CallInst& call_;
  const Program& program_;
  std::vector<Block> blocks_;
  std::map<unsigned, std::size_t> block_of_label_;
  std::vector<Jump> jumps_;
  std::vector<End> ends_;
};

}  // namespace ws::clang_engine::ptx
