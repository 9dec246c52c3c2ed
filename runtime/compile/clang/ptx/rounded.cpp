// Arithmetic that does not round to nearest: the worker computes it, as its processor can.
#include "runtime/compile/clang/ptx/number.h"

namespace ws::clang_engine::ptx {
namespace {

cpu_abi::RoundingMode mode_of(Rounding rounding) {
  switch (rounding) {
    case Rounding::kZero:
      return cpu_abi::RoundingMode::kZero;
    case Rounding::kDown:
      return cpu_abi::RoundingMode::kDown;
    case Rounding::kUp:
      return cpu_abi::RoundingMode::kUp;
    case Rounding::kNearest:
      break;
  }
  return cpu_abi::RoundingMode::kNearest;
}

}  // namespace

Rounding rounding_of(const Step& step) {
  if (step.has(Modifier::kRz)) {
    return Rounding::kZero;
  }
  return step.has(Modifier::kRm)   ? Rounding::kDown
         : step.has(Modifier::kRp) ? Rounding::kUp
                                   : Rounding::kNearest;
}

llvm::Value* rounded(Step& step, cpu_abi::Rounded operation, const std::vector<llvm::Value*>& in) {
  const Rounding rounding = rounding_of(step);
  if (rounding == Rounding::kNearest) {
    return nullptr;
  }
  if (step.type() != Type::kF32 && step.type() != Type::kF64) {
    step.machine.complain("only `.f32` and `.f64` are rounded in another way than to nearest");
    return in.front();
  }
  llvm::IRBuilder<>& b = step.b;
  llvm::Type* type = in.front()->getType();
  std::vector<llvm::Value*> arguments = {b.getInt32(static_cast<std::uint32_t>(operation)),
                                         b.getInt32(static_cast<std::uint32_t>(mode_of(rounding)))};
  for (std::size_t i = 0; i < 3; ++i) {
    arguments.push_back(i < in.size() ? in[i] : llvm::ConstantFP::get(type, 0.0));
  }
  return step.machine.call(type->isFloatTy() ? "ws_rt_rounded_f32" : "ws_rt_rounded_f64", type,
                           arguments);
}

}  // namespace ws::clang_engine::ptx
