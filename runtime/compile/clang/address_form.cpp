#include "runtime/compile/clang/address_form.h"

#include <optional>

#include <llvm/Analysis/ValueTracking.h>
#include <llvm/IR/Constants.h>
#include <llvm/IR/GetElementPtrTypeIterator.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/Operator.h>

#include "runtime/compile/clang/offset_range.h"

namespace ws::clang_engine {
namespace {

/// Factors beyond it are of no use, and would wrap.
constexpr std::int64_t kMostFactor = std::int64_t{1} << 40U;
/// Operations that are looked into for one address.
constexpr int kMostOpened = 16;

std::uint64_t magnitude(std::int64_t number) {
  return number < 0 ? 0 - static_cast<std::uint64_t>(number) : static_cast<std::uint64_t>(number);
}

class Splitter {
 public:
  Splitter(std::uint64_t most_near, llvm::ScalarEvolution& evolution)
      : left_(most_near),
        evolution_(evolution) {}

  AddressForm split(llvm::Value* address) {
    form_.root = address;
    while (auto* step = llvm::dyn_cast<llvm::GEPOperator>(form_.root)) {
      if (!follow(*step)) {
        break;
      }
      form_.root = step->getPointerOperand();
    }
    return std::move(form_);
  }

 private:
  /// One step of an address. False: it has indices that cannot be told apart.
  bool follow(const llvm::GEPOperator& step) {
    const llvm::DataLayout& layout = evolution_.getDataLayout();
    std::vector<AddressTerm> indices;
    std::int64_t constant = 0;
    for (auto at = llvm::gep_type_begin(step), end = llvm::gep_type_end(step); at != end; ++at) {
      const auto* number = llvm::dyn_cast<llvm::ConstantInt>(at.getOperand());
      std::int64_t bytes = 0;
      if (llvm::StructType* members = at.getStructTypeOrNull()) {
        if (number == nullptr) {
          return false;  // A vector of equal indices.
        }
        bytes = static_cast<std::int64_t>(
            layout.getStructLayout(members)->getElementOffset(number->getZExtValue()));
      } else {
        const llvm::TypeSize stride = at.getSequentialElementStride(layout);
        if (stride.isScalable() || stride.getFixedValue() > kMostFactor) {
          return false;
        }
        const auto factor = static_cast<std::int64_t>(stride.getFixedValue());
        if (number == nullptr) {
          indices.push_back({at.getOperand(), nullptr, factor});
          continue;
        }
        if (number->getBitWidth() > 64 ||
            __builtin_mul_overflow(number->getSExtValue(), factor, &bytes)) {
          return false;
        }
      }
      if (__builtin_add_overflow(constant, bytes, &constant)) {
        return false;
      }
    }
    if (!move_by(constant)) {
      return false;
    }
    for (const AddressTerm& index : indices) {
      add(index);
    }
    return true;
  }

  /// Takes the bytes from what near terms may still reach.
  bool reach(std::optional<std::uint64_t> bytes) {
    const bool near = bytes && *bytes <= left_;
    left_ -= near ? *bytes : 0;
    return near;
  }

  bool move_by(std::int64_t bytes) {
    if (!reach(magnitude(bytes))) {
      return false;
    }
    form_.offset += bytes;
    return true;
  }

  bool reach(const AddressTerm& term) {
    const auto most = most_of(*term.value, evolution_);
    const std::uint64_t factor = magnitude(term.factor);
    return most && *most <= left_ / factor && reach(*most * factor);
  }

  void add(const AddressTerm& term) {
    if (term.factor == 0) {
      return;
    }
    if (reach(term)) {
      form_.near.push_back(term);
    } else if (++opened_ > kMostOpened || !open(term)) {
      form_.far.push_back(term);
    }
  }

  /// Adds the parts of a term in its place. False: it has none.
  bool open(const AddressTerm& term) {
    auto* operation = llvm::dyn_cast<llvm::BinaryOperator>(term.value);
    if (operation == nullptr || !operation->getType()->isIntegerTy(64)) {
      return false;
    }
    llvm::Value* left = operation->getOperand(0);
    llvm::Value* right = operation->getOperand(1);
    switch (operation->getOpcode()) {
      case llvm::Instruction::Or:
        if (!llvm::haveNoCommonBitsSet(left, right, {evolution_.getDataLayout(), operation})) {
          return false;
        }
        [[fallthrough]];
      case llvm::Instruction::Add:
        return add_either({left, nullptr, term.factor}, {right, nullptr, term.factor});
      case llvm::Instruction::Sub:
        return add_either({left, nullptr, term.factor}, {right, nullptr, -term.factor});
      case llvm::Instruction::Mul:
        return open_product(left, right, term.factor);
      case llvm::Instruction::Shl: {
        const auto* by = llvm::dyn_cast<llvm::ConstantInt>(right);
        constexpr unsigned kMostShift = 20;
        return by != nullptr && by->getValue().ult(kMostShift) &&
               scale(left, term.factor, std::int64_t{1} << by->getZExtValue());
      }
      default:
        return false;
    }
  }

  bool add_either(const AddressTerm& left, const AddressTerm& right) {
    const auto* number = llvm::dyn_cast<llvm::ConstantInt>(right.value);
    std::int64_t bytes = 0;
    if (number == nullptr) {
      add(left);
      add(right);
      return true;
    }
    if (__builtin_mul_overflow(number->getSExtValue(), right.factor, &bytes) || !move_by(bytes)) {
      return false;
    }
    add(left);
    return true;
  }

  bool scale(llvm::Value* value, std::int64_t factor, std::int64_t by) {
    if (__builtin_mul_overflow(factor, by, &factor) || magnitude(factor) > kMostFactor) {
      return false;
    }
    add({value, nullptr, factor});
    return true;
  }

  /// (a + 3) * b is a * b and thrice b: rounds of an unrolled loop have the first one in common.
  bool open_product(llvm::Value* left, llvm::Value* right, std::int64_t factor) {
    if (const auto* number = llvm::dyn_cast<llvm::ConstantInt>(right)) {
      return number->getValue().abs().ult(kMostFactor) &&
             scale(left, factor, number->getSExtValue());
    }
    auto* moved = llvm::dyn_cast<llvm::BinaryOperator>(left);
    const auto* number =
        moved == nullptr ? nullptr : llvm::dyn_cast<llvm::ConstantInt>(moved->getOperand(1));
    std::int64_t near = 0;
    const bool sum = number != nullptr &&
                     (moved->getOpcode() == llvm::Instruction::Add ||
                      (moved->getOpcode() == llvm::Instruction::Or &&
                       llvm::haveNoCommonBitsSet(moved->getOperand(0), moved->getOperand(1),
                                                 {evolution_.getDataLayout(), moved}))) &&
                     !__builtin_mul_overflow(factor, number->getSExtValue(), &near) && near != 0 &&
                     magnitude(near) <= kMostFactor;
    if (const AddressTerm rest{right, nullptr, near}; sum && reach(rest)) {
      form_.near.push_back(rest);
      left = moved->getOperand(0);
    }
    form_.far.push_back({left, right, factor});
    return true;
  }

  AddressForm form_;
  std::uint64_t left_;
  int opened_ = 0;
  llvm::ScalarEvolution& evolution_;
};

}  // namespace

AddressForm form_of(llvm::Value* address, std::uint64_t most_near,
                    llvm::ScalarEvolution& evolution) {
  return Splitter(most_near, evolution).split(address);
}

}  // namespace ws::clang_engine
