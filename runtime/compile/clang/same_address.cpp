#include "runtime/compile/clang/same_address.h"

#include <llvm/IR/DataLayout.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/Module.h>

namespace ws::clang_engine {
namespace {

/// How far the computation of two addresses is compared.
constexpr unsigned kComparedDepth = 10;

/// Whether two steps from an address are of the same length where their indices are equal: to an
/// element of a float and to one of an int, say.
bool have_same_steps(const llvm::Instruction& a, const llvm::Instruction& b) {
  const auto* one = llvm::dyn_cast<llvm::GetElementPtrInst>(&a);
  const auto* other = llvm::dyn_cast<llvm::GetElementPtrInst>(&b);
  if (one == nullptr || other == nullptr || one->getNumIndices() != 1 ||
      other->getNumIndices() != 1) {
    return false;
  }
  const llvm::DataLayout& layout = a.getModule()->getDataLayout();
  return layout.getTypeAllocSize(one->getSourceElementType()) ==
         layout.getTypeAllocSize(other->getSourceElementType());
}

bool is_same_value(const llvm::Value* one, const llvm::Value* other, unsigned depth) {
  one = one->stripPointerCasts();
  other = other->stripPointerCasts();
  if (one == other) {
    return true;
  }
  const auto* a = llvm::dyn_cast<llvm::Instruction>(one);
  const auto* b = llvm::dyn_cast<llvm::Instruction>(other);
  if (depth == kComparedDepth || a == nullptr || b == nullptr || llvm::isa<llvm::PHINode>(a) ||
      a->mayWriteToMemory() || !(a->isSameOperationAs(b) || have_same_steps(*a, *b))) {
    return false;
  }
  for (unsigned i = 0; i < a->getNumOperands(); ++i) {
    if (!is_same_value(a->getOperand(i), b->getOperand(i), depth + 1)) {
      return false;
    }
  }
  return true;
}

}  // namespace

bool is_same_address(const llvm::Value& one, const llvm::Value& other) {
  return is_same_value(&one, &other, 0);
}

}  // namespace ws::clang_engine
