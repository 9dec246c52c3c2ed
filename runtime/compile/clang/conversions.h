// Floats that become integers as a GPU has it: C++ leaves open what is beyond the integer's range,
// and a GPU does not.
#pragma once

#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/Module.h>

namespace ws::clang_engine {

/// `value` without its fraction. Values beyond the type's become its least or greatest one. What is
/// no number becomes 0 or, where the value or the type has 64 bits, the number whose highest bit is
/// its only one.
/// @source PTX ISA, cvt.
llvm::Value* saturated_integer(llvm::IRBuilder<>& builder, llvm::Value* value, llvm::Type* type,
                               bool sign);

/// Makes the source's conversions so. Those to fewer than 32 bits keep the low bits of one to 32,
/// as nvcc has them. Run it on the front end's module, whose conversions are llvm.fptosi.sat and
/// llvm.fptoui.sat.
void convert_as_a_gpu(llvm::Module& module);

}  // namespace ws::clang_engine
