// Loads, stores, fences, and what means nothing without a GPU's caches.
#include "runtime/compile/clang/ptx/memory.h"

#include "runtime/compile/clang/ptx/emit.h"

namespace ws::clang_engine::ptx {
namespace {

/// The integer type of one element: its bits are what counts.
llvm::Type* element_type(Step& step) {
  return step.b.getIntNTy(bits_of(step.type()));
}

/// The operands that are loaded or stored; nothing where their number is not what `.v2` says.
std::vector<const Operand*> elements(Step& step, const Operand& operand) {
  const std::size_t count = step.has(Modifier::kV2) ? 2 : step.has(Modifier::kV4) ? 4 : 1;
  std::vector<const Operand*> found;
  if (operand.kind == Operand::Kind::kVector) {
    for (const Operand& part : operand.parts) {
      found.push_back(&part);
    }
  } else {
    found.push_back(&operand);
  }
  if (found.size() != count) {
    step.machine.complain("expected " + std::to_string(count) + " registers, not " +
                          std::to_string(found.size()));
    found.clear();
  }
  return found;
}

llvm::Align natural(llvm::Type* type) {
  return llvm::Align(type->getPrimitiveSizeInBits().getFixedValue() / 8);
}

bool is_strong(const Step& step) {
  return step.modifiers().has_any({Modifier::kRelaxed, Modifier::kAcquire, Modifier::kRelease});
}

}  // namespace

Space space_of(const Step& step) {
  return step.modifiers().has_any({Modifier::kShared, Modifier::kSharedCta}) ? Space::kShared
                                                                             : Space::kGeneric;
}

llvm::AtomicOrdering order_of(const Step& step) {
  if (step.has(Modifier::kAcquire)) {
    return llvm::AtomicOrdering::Acquire;
  }
  if (step.has(Modifier::kRelease)) {
    return llvm::AtomicOrdering::Release;
  }
  return step.has(Modifier::kAcqRel) ? llvm::AtomicOrdering::AcquireRelease
                                     : llvm::AtomicOrdering::Monotonic;
}

void emit_ld(Step& step) {
  if (step.has(Modifier::kRelease)) {
    return step.machine.complain("a load has no `.release`");
  }
  const std::vector<const Operand*> targets = elements(step, step.operand(0));
  llvm::Value* address = step.machine.pointer(step.operand(1), space_of(step));
  llvm::Type* element = element_type(step);
  const bool sign = is_signed(step.type());
  const auto load = [&](llvm::Type* type, llvm::Value* from) {
    return step.b.CreateAlignedLoad(type, from, natural(type), step.has(Modifier::kVolatile));
  };
  if (targets.size() == 1 || is_strong(step)) {
    for (std::size_t i = 0; i < targets.size(); ++i) {
      llvm::LoadInst* made = load(element, step.b.CreateConstGEP1_64(element, address, i));
      if (is_strong(step)) {
        made->setAtomic(order_of(step));
      }
      step.machine.write(*targets[i], made, sign);
    }
    return;
  }
  if (!targets.empty()) {
    llvm::Value* all = load(llvm::FixedVectorType::get(element, targets.size()), address);
    for (std::size_t i = 0; i < targets.size(); ++i) {
      step.machine.write(*targets[i], step.b.CreateExtractElement(all, i), sign);
    }
  }
}

void emit_st(Step& step) {
  if (step.has(Modifier::kAcquire)) {
    return step.machine.complain("a store has no `.acquire`");
  }
  const std::vector<const Operand*> sources = elements(step, step.operand(1));
  llvm::Value* address = step.machine.pointer(step.operand(0), space_of(step));
  llvm::Type* element = element_type(step);
  const auto store = [&](llvm::Value* value, llvm::Value* to) {
    return step.b.CreateAlignedStore(value, to, natural(value->getType()),
                                     step.has(Modifier::kVolatile));
  };
  const auto value_of = [&](const Operand& source) {
    return step.b.CreateBitCast(step.machine.read(source, step.type(), /*wider=*/true), element);
  };
  if (sources.size() == 1 || is_strong(step)) {
    for (std::size_t i = 0; i < sources.size(); ++i) {
      llvm::StoreInst* made =
          store(value_of(*sources[i]), step.b.CreateConstGEP1_64(element, address, i));
      if (is_strong(step)) {
        made->setAtomic(order_of(step));
      }
    }
    return;
  }
  if (!sources.empty()) {
    llvm::Value* all = llvm::PoisonValue::get(llvm::FixedVectorType::get(element, sources.size()));
    for (std::size_t i = 0; i < sources.size(); ++i) {
      all = step.b.CreateInsertElement(all, value_of(*sources[i]), i);
    }
    store(all, address);
  }
}

void emit_fence(Step& step) {
  step.b.CreateFence(llvm::AtomicOrdering::SequentiallyConsistent);
}

void emit_nothing(Step& step) {
  (void)step;
}

}  // namespace ws::clang_engine::ptx
