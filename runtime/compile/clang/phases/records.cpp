#include "runtime/compile/clang/phases/records.h"

#include "runtime/compile/clang/launch_values.h"
#include "runtime/device/cpu/abi.h"

namespace ws::clang_engine {

llvm::Value* block_field(llvm::IRBuilder<>& builder, unsigned offset, llvm::Type* type) {
  return read_launch_value(builder, {LaunchValue::Of::kBlock, offset}, type);
}

llvm::Value* thread_number(llvm::IRBuilder<>& builder, const std::array<llvm::Value*, 3>& id) {
  llvm::Type* word = builder.getInt32Ty();
  // At most 1024: nothing overflows.
  const auto row_major = [&](llvm::Value* row, unsigned extent, llvm::Value* column) {
    llvm::Value* size = block_field(builder, cpu_abi::kBlockDimOffset + 4 * extent, word);
    return builder.CreateAdd(builder.CreateMul(row, size, "", true, true), column, "", true, true);
  };
  return builder.CreateZExt(row_major(row_major(id[2], 1, id[1]), 0, id[0]), builder.getInt64Ty());
}

llvm::Value* thread_slot(llvm::IRBuilder<>& builder, llvm::Value* thread, std::uint64_t offset,
                         std::uint64_t bytes) {
  llvm::Type* byte = builder.getInt8Ty();
  llvm::Value* base = block_field(builder, cpu_abi::kThreadValuesOffset, builder.getPtrTy());
  llvm::Value* threads =
      builder.CreateZExt(block_field(builder, cpu_abi::kPaddedThreadsOffset, builder.getInt32Ty()),
                         builder.getInt64Ty());
  llvm::Value* array =
      builder.CreateGEP(byte, base, builder.CreateMul(threads, builder.getInt64(offset)));
  return builder.CreateGEP(byte, array, builder.CreateMul(thread, builder.getInt64(bytes)));
}

llvm::Value* unit_slot(llvm::IRBuilder<>& builder, unsigned values, std::uint64_t offset) {
  return builder.CreateConstGEP1_64(builder.getInt8Ty(),
                                    block_field(builder, values, builder.getPtrTy()), offset);
}

}  // namespace ws::clang_engine
