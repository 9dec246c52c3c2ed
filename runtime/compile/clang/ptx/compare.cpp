// Comparisons, and choices by a predicate.
#include "runtime/compile/clang/ptx/emit.h"
#include "runtime/compile/clang/ptx/number.h"

namespace ws::clang_engine::ptx {
namespace {

using Order = llvm::CmpInst::Predicate;

struct CompareRow {
  Modifier modifier;
  Order of_floats;
  Order of_signed;
  Order of_unsigned;
};

constexpr Order kNoOrder = Order::BAD_ICMP_PREDICATE;

constexpr CompareRow kCompareRows[] = {
    {Modifier::kEq, Order::FCMP_OEQ, Order::ICMP_EQ, Order::ICMP_EQ},
    {Modifier::kNe, Order::FCMP_ONE, Order::ICMP_NE, Order::ICMP_NE},
    {Modifier::kLt, Order::FCMP_OLT, Order::ICMP_SLT, Order::ICMP_ULT},
    {Modifier::kLe, Order::FCMP_OLE, Order::ICMP_SLE, Order::ICMP_ULE},
    {Modifier::kGt, Order::FCMP_OGT, Order::ICMP_SGT, Order::ICMP_UGT},
    {Modifier::kGe, Order::FCMP_OGE, Order::ICMP_SGE, Order::ICMP_UGE},
    {Modifier::kLo, kNoOrder, kNoOrder, Order::ICMP_ULT},
    {Modifier::kLs, kNoOrder, kNoOrder, Order::ICMP_ULE},
    {Modifier::kHi, kNoOrder, kNoOrder, Order::ICMP_UGT},
    {Modifier::kHs, kNoOrder, kNoOrder, Order::ICMP_UGE},
    {Modifier::kEqu, Order::FCMP_UEQ, kNoOrder, kNoOrder},
    {Modifier::kNeu, Order::FCMP_UNE, kNoOrder, kNoOrder},
    {Modifier::kLtu, Order::FCMP_ULT, kNoOrder, kNoOrder},
    {Modifier::kLeu, Order::FCMP_ULE, kNoOrder, kNoOrder},
    {Modifier::kGtu, Order::FCMP_UGT, kNoOrder, kNoOrder},
    {Modifier::kGeu, Order::FCMP_UGE, kNoOrder, kNoOrder},
    {Modifier::kNum, Order::FCMP_ORD, kNoOrder, kNoOrder},
    {Modifier::kIsNan, Order::FCMP_UNO, kNoOrder, kNoOrder},
};

/// A source of a comparison, as a type that LLVM compares.
llvm::Value* comparable(Step& step, std::size_t index) {
  llvm::Value* value = step.in(index);
  if (step.source_type() == Type::kBf16) {
    return widen(step.b, value, Type::kBf16, Type::kF32);
  }
  return step.has(Modifier::kFtz) ? flushed(step.b, value) : value;
}

/// The comparison that the modifiers name; null: none that its type has.
llvm::Value* compared(Step& step) {
  for (const CompareRow& row : kCompareRows) {
    if (!step.has(row.modifier)) {
      continue;
    }
    const bool floats = is_float(step.source_type());
    const Order order = floats                          ? row.of_floats
                        : is_signed(step.source_type()) ? row.of_signed
                                                        : row.of_unsigned;
    if (order == kNoOrder) {
      step.machine.complain("`" + name_of(row.modifier) + "` does not compare `" +
                            name_of(step.source_type()) + "`");
      return nullptr;
    }
    return step.b.CreateCmp(order, comparable(step, 1), comparable(step, 2));
  }
  step.machine.complain("expected a comparison, as in `" + step.text().opcode.substr(0, 4) +
                        ".lt`");
  return nullptr;
}

/// The comparison, joined with operand 3 where there is one.
llvm::Value* joined(Step& step, llvm::Value* result) {
  if (step.operands() <= 3) {
    return result;
  }
  llvm::Value* other = step.in(3, Type::kPred);
  if (step.has(Modifier::kAnd)) {
    return step.b.CreateAnd(result, other);
  }
  return step.has(Modifier::kOr) ? step.b.CreateOr(result, other) : step.b.CreateXor(result, other);
}

}  // namespace

void emit_setp(Step& step) {
  llvm::Value* result = compared(step);
  if (result == nullptr) {
    return;
  }
  llvm::Value* first = joined(step, result);
  if (step.text().second) {
    step.machine.write(*step.text().second, joined(step, step.b.CreateNot(result)));
  }
  step.machine.write(step.operand(0), first);
}

void emit_set(Step& step) {
  llvm::Value* result = compared(step);
  if (result == nullptr) {
    return;
  }
  result = joined(step, result);
  step.out(step.type() == Type::kF32
               ? step.b.CreateUIToFP(result, step.b.getFloatTy())
               : step.b.CreateSExt(result, llvm_type(step.type(), step.b.getContext())));
}

void emit_selp(Step& step) {
  llvm::Value* a = step.in(1);
  llvm::Value* c = step.in(2);
  step.out(step.b.CreateSelect(step.in(3, Type::kPred), a, c));
}

void emit_slct(Step& step) {
  llvm::Value* a = step.in(1, step.type());
  llvm::Value* c = step.in(2, step.type());
  llvm::Value* choice = step.in(3);
  choice = step.has(Modifier::kFtz) ? flushed(step.b, choice) : choice;
  llvm::Value* first =
      is_float(step.source_type())
          ? step.b.CreateFCmpOGE(choice, llvm::ConstantFP::get(choice->getType(), 0.0))
          : step.b.CreateICmpSGE(choice, step.constant(0));
  step.out(step.b.CreateSelect(first, a, c));
}

}  // namespace ws::clang_engine::ptx
