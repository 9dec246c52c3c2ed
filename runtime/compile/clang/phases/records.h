// The memory of threads that wait: the records and slots of cpu_abi as addresses.
#pragma once

#include <array>
#include <cstdint>

#include <llvm/IR/IRBuilder.h>

namespace ws::clang_engine {

/// A field of the cpu_abi::Block.
llvm::Value* block_field(llvm::IRBuilder<>& builder, unsigned offset, llvm::Type* type);

/// The number in its block of the thread with this id, i64.
llvm::Value* thread_number(llvm::IRBuilder<>& builder, const std::array<llvm::Value*, 3>& id);

/// The address of a thread's slot of `bytes`, or of a field of its record.
/// @param thread  The thread's number, i64.
/// @param offset  One of cpu_abi's, or a slot's.
llvm::Value* thread_slot(llvm::IRBuilder<>& builder, llvm::Value* thread, std::uint64_t offset,
                         std::uint64_t bytes);

/// The address of a slot of the running unit.
/// @param values  cpu_abi::kUnitValuesOffset or cpu_abi::kUnitValuesBeforeOffset.
llvm::Value* unit_slot(llvm::IRBuilder<>& builder, unsigned values, std::uint64_t offset);

}  // namespace ws::clang_engine
