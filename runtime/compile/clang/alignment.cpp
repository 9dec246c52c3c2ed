#include "runtime/compile/clang/alignment.h"

#include <algorithm>
#include <bit>

#include <llvm/ADT/MapVector.h>
#include <llvm/ADT/SmallPtrSet.h>
#include <llvm/Analysis/ValueTracking.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/Operator.h>
#include <llvm/Support/KnownBits.h>

#include "runtime/compile/clang/shared_memory.h"

namespace ws::clang_engine {
namespace {

/// The widest access of one instruction. Buffers and shared variables begin at multiples of it.
constexpr std::uint64_t kLargestAlignment = 16;

std::uint64_t multiple_of(std::uint64_t value) {
  return value == 0 ? kLargestAlignment
                    : std::min(kLargestAlignment, std::uint64_t{1} << std::countr_zero(value));
}

/// Says what an address is a multiple of, as far as the code tells; at most kLargestAlignment.
class Known {
 public:
  explicit Known(const llvm::DataLayout& layout)
      : layout_(layout) {}

  std::uint64_t of(const llvm::Value& address) {
    if (!seen_.insert(&address).second) {
      return kLargestAlignment;  // A pointer that goes round in a loop: what it began with and its
                                 // steps count.
    }
    if (const auto* step = llvm::dyn_cast<llvm::GEPOperator>(&address)) {
      return std::min(of(*step->getPointerOperand()), of_offset(*step));
    }
    if (const auto* phi = llvm::dyn_cast<llvm::PHINode>(&address)) {
      std::uint64_t least = kLargestAlignment;
      for (const llvm::Value* value : phi->incoming_values()) {
        least = std::min(least, of(*value));
      }
      return least;
    }
    if (const auto* choice = llvm::dyn_cast<llvm::SelectInst>(&address)) {
      return std::min(of(*choice->getTrueValue()), of(*choice->getFalseValue()));
    }
    if (const auto* cast = llvm::dyn_cast<llvm::AddrSpaceCastOperator>(&address)) {
      return of(*cast->getPointerOperand());
    }
    return of_object(address);
  }

 private:
  std::uint64_t of_value(const llvm::Value& value) const {
    const unsigned zeros = llvm::computeKnownBits(&value, layout_).countMinTrailingZeros();
    return multiple_of(std::uint64_t{1} << std::min(zeros, 6U));
  }

  std::uint64_t of_offset(const llvm::GEPOperator& step) const {
    const unsigned bits = layout_.getIndexTypeSizeInBits(step.getType());
    llvm::MapVector<llvm::Value*, llvm::APInt> steps;
    llvm::APInt constant(bits, 0);
    if (!step.collectOffset(layout_, bits, steps, constant)) {
      return 1;
    }
    std::uint64_t least = multiple_of(constant.getZExtValue());
    for (const auto& [index, scale] : steps) {
      least = std::min(least, multiple_of(of_value(*index) * multiple_of(scale.getZExtValue())));
    }
    return least;
  }

  std::uint64_t of_object(const llvm::Value& object) const {
    if (const auto* argument = llvm::dyn_cast<llvm::Argument>(&object)) {
      const bool kernels_own = argument->getParent()->hasExternalLinkage();
      return argument->hasByValAttr() ? argument->getParamAlign().valueOrOne().value()
             : kernels_own            ? kLargestAlignment
                                      : 1;
    }
    if (const auto* variable = llvm::dyn_cast<llvm::GlobalVariable>(&object)) {
      return variable->getAddressSpace() == kSharedAddressSpace
                 ? kLargestAlignment
                 : variable->getAlign().valueOrOne().value();
    }
    if (const auto* local = llvm::dyn_cast<llvm::AllocaInst>(&object)) {
      return local->getAlign().value();
    }
    return of_value(object);
  }

  const llvm::DataLayout& layout_;
  llvm::SmallPtrSet<const llvm::Value*, 8> seen_;
};

}  // namespace

std::uint64_t doubtful_alignment(const llvm::Value& address, std::uint64_t bytes,
                                 llvm::MaybeAlign promised, const llvm::DataLayout& layout) {
  if (bytes == 0) {
    return 0;
  }
  const std::uint64_t need =
      std::min({promised.valueOrOne().value(), std::bit_floor(bytes), kLargestAlignment});
  return need > 1 && Known(layout).of(address) < need ? need : 0;
}

}  // namespace ws::clang_engine
