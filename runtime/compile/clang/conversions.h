// Integers as a GPU has them: C++ leaves open what a float beyond an integer's range becomes, and a
// number that is shifted by as many bits as it has; a GPU does not.
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
/// as nvcc has them. A shift by as many bits as a number has, or more, leaves zeros, or copies of
/// the sign where it goes to the right. Run it on the front end's module, whose conversions are
/// llvm.fptosi.sat and llvm.fptoui.sat.
/// @source PTX ISA, shl and shr.
void convert_as_a_gpu(llvm::Module& module);

}  // namespace ws::clang_engine
