// Functions of one number. Those that PTX lets be approximate are computed exactly.
#include "runtime/compile/clang/ptx/emit.h"
#include "runtime/compile/clang/ptx/number.h"

namespace ws::clang_engine::ptx {
namespace {

void emit_intrinsic(Step& step, llvm::Intrinsic::ID intrinsic) {
  compute_numbers(step, Type::kF32, [&](const std::vector<llvm::Value*>& in) {
    return step.unary(intrinsic, in[0]);
  });
}

llvm::Value* reciprocal(Step& step, llvm::Value* value) {
  return step.b.CreateFDiv(llvm::ConstantFP::get(value->getType(), 1.0), value);
}

struct ClassRow {
  Modifier modifier;
  llvm::FPClassTest classes;
};

constexpr ClassRow kClassRows[] = {
    {Modifier::kFinite, llvm::fcFinite},
    {Modifier::kInfinite, llvm::fcInf},
    {Modifier::kNumber, ~llvm::fcNan},
    {Modifier::kNotANumber, llvm::fcNan},
    {Modifier::kNormal, llvm::fcNormal | llvm::fcZero},
    {Modifier::kSubnormal, llvm::fcSubnormal},
};

}  // namespace

void emit_ex2(Step& step) {
  emit_intrinsic(step, llvm::Intrinsic::exp2);
}

void emit_lg2(Step& step) {
  emit_intrinsic(step, llvm::Intrinsic::log2);
}

void emit_sqrt(Step& step) {
  compute_numbers(step, Type::kF32, [&](const std::vector<llvm::Value*>& in) {
    llvm::Value* directed = rounded(step, cpu_abi::Rounded::kSqrt, in);
    return directed != nullptr ? directed : step.unary(llvm::Intrinsic::sqrt, in[0]);
  });
}

void emit_sin(Step& step) {
  emit_intrinsic(step, llvm::Intrinsic::sin);
}

void emit_cos(Step& step) {
  emit_intrinsic(step, llvm::Intrinsic::cos);
}

void emit_rcp(Step& step) {
  compute_numbers(step, Type::kF32, [&](const std::vector<llvm::Value*>& in) {
    llvm::Value* one = llvm::ConstantFP::get(in[0]->getType(), 1.0);
    llvm::Value* directed = rounded(step, cpu_abi::Rounded::kDiv, {one, in[0]});
    return directed != nullptr ? directed : reciprocal(step, in[0]);
  });
}

void emit_rsqrt(Step& step) {
  compute_numbers(step, Type::kF32, [&](const std::vector<llvm::Value*>& in) {
    return reciprocal(step, step.unary(llvm::Intrinsic::sqrt, in[0]));
  });
}

void emit_tanh(Step& step) {
  compute_numbers(step, Type::kF32, [&](const std::vector<llvm::Value*>& in) {
    return step.machine.call("tanhf", step.b.getFloatTy(), {in[0]});
  });
}

void emit_testp(Step& step) {
  for (const ClassRow& row : kClassRows) {
    if (step.has(row.modifier)) {
      return step.machine.write(step.operand(0), step.b.createIsFPClass(step.in(1), row.classes));
    }
  }
  step.machine.complain("expected `.finite` or another class of numbers");
}

void emit_copysign(Step& step) {
  step.out(step.binary(llvm::Intrinsic::copysign, step.in(2), step.in(1)));
}

}  // namespace ws::clang_engine::ptx
