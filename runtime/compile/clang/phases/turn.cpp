#include <llvm/IR/IRBuilder.h>

#include "runtime/compile/clang/bounds_check.h"
#include "runtime/compile/clang/phases/entries.h"
#include "runtime/compile/clang/phases/entry_parts.h"
#include "runtime/compile/clang/phases/records.h"
#include "runtime/compile/clang/phases/thread_loops.h"
#include "runtime/compile/clang/phases/warp_starts.h"
#include "runtime/device/cpu/abi.h"

namespace ws::clang_engine {

void make_turn_function(const std::vector<Phase>& phases, const std::vector<Stop>& stops,
                        const std::string& name) {
  constexpr unsigned kWords = 4;  // x, y, z, phase
  llvm::Function* entry = new_entry(phases[0], name, kWords);
  entry->addFnAttr(llvm::Attribute::Cold);
  llvm::IRBuilder<> builder(llvm::BasicBlock::Create(entry->getContext(), "entry", entry));
  llvm::SwitchInst* ways = builder.CreateSwitch(entry->getArg(kWords), make_trap(*entry));
  std::vector<llvm::CallInst*> calls;
  for (std::size_t i = 0; i < phases.size(); ++i) {
    llvm::BasicBlock* way = llvm::BasicBlock::Create(entry->getContext(), "phase", entry);
    ways->addCase(builder.getInt32(static_cast<std::uint32_t>(i)), way);
    builder.SetInsertPoint(way);
    const std::vector<llvm::Value*> values =
        load_unit_values(builder, phases[i], cpu_abi::kUnitValuesBeforeOffset);
    const bool by_rounds = i != 0 && stops[i - 1].alone && phases[i].changes_no_unit_value;
    if (by_rounds) {
      llvm::BasicBlock* round = llvm::BasicBlock::Create(entry->getContext(), "round", entry);
      builder.CreateBr(round);
      builder.SetInsertPoint(round);
    }
    const std::array<llvm::Value*, 3> id = {entry->getArg(1), entry->getArg(2), entry->getArg(3)};
    calls.push_back(
        call_phase(builder, phases[i], id, thread_number(builder, id), /*alone=*/true, values));
    if (by_rounds) {
      llvm::BasicBlock* done = llvm::BasicBlock::Create(entry->getContext(), "done", entry);
      llvm::Value* again =
          builder.CreateICmpEQ(calls.back(), builder.getInt32(static_cast<std::uint32_t>(i)));
      builder.CreateCondBr(again, builder.GetInsertBlock(), done);
      builder.SetInsertPoint(done);
    }
    builder.CreateRet(calls.back());
  }
  for (std::size_t i = 0; i < phases.size(); ++i) {
    inline_with_lines(*calls[i], *phases[i].function);
  }
  replace_warp_starts(*entry, [](llvm::IRBuilder<>& before, llvm::Value* x) {
    return before.CreateAnd(x, before.getInt32(~(kWarpLanes - 1)));
  });
  expand_bounds_checks(*entry);
}

}  // namespace ws::clang_engine
