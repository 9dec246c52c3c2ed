// Shuffles among all lanes of a warp, as code.
#pragma once

#include <llvm/IR/IRBuilder.h>

#include "runtime/compile/clang/phases/stops.h"
#include "runtime/compile/clang/phases/uniform.h"
#include "runtime/compile/clang/phases/values.h"

namespace ws::clang_engine {

/// True for a shuffle of all 32 lanes, and for a warp barrier of all: what they do is known when
/// the kernel is compiled.
bool is_exchange_of_all(const Stop& stop);

/// The operand of such a shuffle, i32, where its lanes give and take no more than that; else null.
llvm::Value* narrow_operand(const Stop& stop);

/// Sets where the operands of stop `number` are, if it is an exchange: in slots, where threads
/// carry them over it anyway.
void find_operands(Stop& stop, std::size_t number, const CarriedValues& values,
                   const Uniformity& uniformity);

/// Gives each thread of the running unit, a whole warp, its result of such a stop: it reads the
/// records of the threads and writes there.
void make_exchange(llvm::IRBuilder<>& builder, const Stop& stop, const Uniformity& uniformity);

}  // namespace ws::clang_engine
