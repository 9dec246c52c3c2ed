// Addresses, calls, guards, and what an inline `asm` gives.
#include <utility>

#include <llvm/IR/Operator.h>
#include <llvm/Transforms/Utils/BasicBlockUtils.h>

#include "runtime/compile/clang/launch_values.h"
#include "runtime/compile/clang/ptx/machine.h"
#include "runtime/device/cpu/abi.h"

namespace ws::clang_engine::ptx {

llvm::Value* Machine::pointer(const Operand& operand, Space space) {
  const bool brackets = operand.kind == Operand::Kind::kAddress;
  const Operand& base = brackets ? operand.parts.front() : operand;
  llvm::Value* address = nullptr;
  if (space == Space::kShared) {
    llvm::Value* offset = read(base, register_bits(base) == 64 ? Type::kU64 : Type::kU32);
    address = builder_.CreateGEP(builder_.getInt8Ty(), shared_base(),
                                 builder_.CreateZExt(offset, builder_.getInt64Ty()));
  } else {
    llvm::Value* value = base.kind == Operand::Kind::kInteger ? number(base, Type::kU64)
                                                              : raw(base, Type::kU64, false);
    if (auto* cast = llvm::dyn_cast<llvm::PtrToIntOperator>(value)) {
      value = cast->getPointerOperand();
    }
    address = value->getType()->isPointerTy()
                  ? builder_.CreateAddrSpaceCast(value, builder_.getPtrTy())
                  : builder_.CreateIntToPtr(as_integer(value, 64), builder_.getPtrTy());
  }
  if (brackets && operand.value != 0) {
    address = builder_.CreateGEP(builder_.getInt8Ty(), address, builder_.getInt64(operand.value));
  }
  for (std::size_t i = 1; brackets && i < operand.parts.size(); ++i) {
    Operand offset = operand.parts[i];
    const bool minus = std::exchange(offset.negated, false);
    llvm::Value* distance = as_integer(raw(offset, Type::kS64, true), 64, /*sign=*/true);
    address = builder_.CreateGEP(builder_.getInt8Ty(), address,
                                 minus ? builder_.CreateNeg(distance) : distance);
  }
  return address;
}

llvm::Value* Machine::shared_base() {
  if (!call_.getFunction()->hasExternalLinkage()) {
    complain("shared memory in a recursive function is not supported on the CPU engine");
  }
  return read_launch_value(builder_, {LaunchValue::Of::kBlock, cpu_abi::kSharedOffset},
                           builder_.getPtrTy());
}

llvm::CallInst* Machine::call(const char* name, llvm::Type* result,
                              const std::vector<llvm::Value*>& arguments) {
  std::vector<llvm::Type*> types;
  types.reserve(arguments.size());
  for (const llvm::Value* argument : arguments) {
    types.push_back(argument->getType());
  }
  const llvm::StringRef symbol(name);
  const bool computes =
      arguments.empty() || !symbol.starts_with("ws_rt_") || symbol.starts_with("ws_rt_rounded_");
  const bool fresh = module().getNamedValue(name) == nullptr;
  llvm::FunctionCallee callee =
      module().getOrInsertFunction(name, llvm::FunctionType::get(result, types, false));
  if (fresh) {
    auto* function = llvm::cast<llvm::Function>(callee.getCallee());
    function->setDoesNotThrow();
    if (computes) {
      function->setDoesNotAccessMemory();  // A thread's id, or mathematics.
    } else {
      function->setConvergent();
      function->addFnAttr(llvm::Attribute::NoMerge);
    }
  }
  return builder_.CreateCall(callee, arguments);
}

void Machine::when(llvm::Value* condition, llvm::function_ref<void()> make) {
  const llvm::DebugLoc place = call_.getDebugLoc();
  const std::vector<Place> arguments = arguments_;
  const std::vector<Place> registers = registers_;
  llvm::BasicBlock* before = builder_.GetInsertBlock();
  llvm::Instruction* then = llvm::SplitBlockAndInsertIfThen(condition, &call_, false);
  builder_.SetInsertPoint(then);
  builder_.SetCurrentDebugLocation(place);
  make();
  llvm::BasicBlock* after = builder_.GetInsertBlock();
  const auto join = [&](std::vector<Place>& now, const std::vector<Place>& old) {
    for (std::size_t i = 0; i < now.size(); ++i) {
      if (now[i].value == old[i].value) {
        continue;
      }
      const unsigned bits = now[i].bits;
      builder_.SetInsertPoint(after->getTerminator());
      llvm::Value* made = as_integer(now[i].value, bits);
      builder_.SetInsertPoint(before->getTerminator());
      llvm::Value* kept = as_integer(old[i].value, bits);
      llvm::PHINode* phi =
          llvm::PHINode::Create(made->getType(), 2, "", call_.getParent()->begin());
      phi->addIncoming(kept, before);
      phi->addIncoming(made, after);
      phi->setDebugLoc(place);
      now[i].value = phi;
    }
  };
  join(arguments_, arguments);
  join(registers_, registers);
  builder_.SetInsertPoint(&call_);
}

std::vector<llvm::Value*> Machine::registers() {
  std::vector<llvm::Value*> values;
  for (const std::vector<Place>* places : {&arguments_, &registers_}) {
    for (const Place& place : *places) {
      if (place.bits != 0) {
        values.push_back(as_integer(place.value, place.bits));
      }
    }
  }
  return values;
}

void Machine::set_registers(const std::vector<llvm::Value*>& values) {
  auto value = values.begin();
  for (std::vector<Place>* places : {&arguments_, &registers_}) {
    for (Place& place : *places) {
      if (place.bits != 0) {
        place.value = *value++;
      }
    }
  }
}

llvm::Value* Machine::result() {
  if (outputs_.empty()) {
    return nullptr;
  }
  const auto converted = [&](unsigned argument, llvm::Type* type) -> llvm::Value* {
    llvm::Value* value = arguments_[argument].value;
    if (value->getType() == type) {
      return value;
    }
    if (type->isPointerTy()) {
      return builder_.CreateIntToPtr(as_integer(value, 64), type);
    }
    const auto bits = static_cast<unsigned>(type->getPrimitiveSizeInBits().getFixedValue());
    return builder_.CreateBitCast(as_integer(value, bits), type);
  };
  auto* several = llvm::dyn_cast<llvm::StructType>(call_.getType());
  if (several == nullptr) {
    return converted(outputs_.front(), call_.getType());
  }
  llvm::Value* result = llvm::PoisonValue::get(several);
  for (unsigned i = 0; i < outputs_.size(); ++i) {
    result =
        builder_.CreateInsertValue(result, converted(outputs_[i], several->getElementType(i)), i);
  }
  return result;
}

}  // namespace ws::clang_engine::ptx
