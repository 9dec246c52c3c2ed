// Numbers with a fraction, halves and pairs of them: what is rounded, and how.
#pragma once

#include <vector>

#include <llvm/ADT/STLFunctionalExtras.h>

#include "runtime/compile/clang/ptx/step.h"
#include "runtime/device/cpu/abi.h"

namespace ws::clang_engine::ptx {

using Compute = llvm::function_ref<llvm::Value*(const std::vector<llvm::Value*>&)>;

/// Reads all operands but the first, computes each number with at least the bits of `wide`, and
/// writes the result as .ftz, .sat and .relu say. Rounds to nearest.
void compute_numbers(Step& step, Type wide, Compute compute);

enum class Rounding : std::uint8_t { kNearest, kZero, kDown, kUp };

/// The way that `.rz`, `.rm` or `.rp` names; to nearest where none of them stands.
Rounding rounding_of(const Step& step);
/// The operation's result, rounded as the step says; null where it rounds to nearest.
llvm::Value* rounded(Step& step, cpu_abi::Rounded operation, const std::vector<llvm::Value*>& in);

/// A float, a double or an f16 (llvm_type) to another type of fewer bits.
llvm::Value* narrow(llvm::IRBuilder<>& b, llvm::Value* value, Type from, Type to,
                    Rounding rounding);
/// The number as a value of type `to`, which has all of its values.
llvm::Value* widen(llvm::IRBuilder<>& b, llvm::Value* value, Type from, Type to);
/// To [0, 1]; no number becomes 0.
llvm::Value* saturated(llvm::IRBuilder<>& b, llvm::Value* value);
/// Negative numbers become 0 where the step has `.relu`.
llvm::Value* relu(Step& step, llvm::Value* value);
/// Numbers too small for their exponent become zeros.
llvm::Value* flushed(llvm::IRBuilder<>& b, llvm::Value* value);

}  // namespace ws::clang_engine::ptx
