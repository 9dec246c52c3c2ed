#include "runtime/compile/clang/phases/stops.h"

#include <algorithm>

#include <llvm/IR/Constants.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/Transforms/Utils/BasicBlockUtils.h>

#include "runtime/compile/clang/waits.h"
#include "runtime/device/cpu/abi.h"

namespace ws::clang_engine {
namespace {

/// More of them come from unrolled loops; code is made for each.
constexpr std::size_t kMostStops = 64;
/// Each phase begins as a copy of the kernel.
constexpr std::size_t kMostCopied = 400'000;

bool is_barrier(const llvm::Function& callee) {
  return callee.getName() == "ws_rt_barrier";
}

bool is_stop(const llvm::Function* callee) {
  return callee != nullptr && (is_barrier(*callee) || callee->getName() == "ws_rt_warp" ||
                               callee->getName() == kLoopCut);
}

std::optional<std::uint32_t> constant(const llvm::Value* value) {
  const auto* number = llvm::dyn_cast<llvm::ConstantInt>(value);
  return number == nullptr ? std::nullopt
                           : std::optional(static_cast<std::uint32_t>(number->getZExtValue()));
}

/// True for what only a thread with a stack of its own can do.
bool needs_stack(const llvm::Instruction& instruction) {
  if (const auto* variable = llvm::dyn_cast<llvm::AllocaInst>(&instruction)) {
    return !variable->isStaticAlloca();
  }
  const auto* call = llvm::dyn_cast<llvm::CallBase>(&instruction);
  if (call == nullptr) {
    return false;
  }
  const llvm::Function* callee = call->getCalledFunction();
  if (callee == nullptr || !callee->isDeclaration() || !llvm::isa<llvm::CallInst>(call)) {
    return true;
  }
  const llvm::StringRef name = callee->getName();
  return name.starts_with("ws_rt_barrier_") || name == "ws_rt_active_mask" ||
         name == "ws_rt_sleep" || name == kLookAgain || name.starts_with("ws_rt_tid_") ||
         name.starts_with("ws_rt_profile_");
}

std::optional<PhaseStop> described(const llvm::CallInst& call) {
  if (call.getCalledFunction()->getName() == kLoopCut) {
    return PhaseStop{
        .warp = false, .mode = static_cast<std::uint32_t>(cpu_abi::BarrierMode::kCut), .site = 0};
  }
  const bool warp = !is_barrier(*call.getCalledFunction());
  const auto mode = constant(call.getArgOperand(0));
  const auto site = constant(call.getArgOperand(call.arg_size() - 1));
  if (!mode || !site) {
    return std::nullopt;
  }
  return PhaseStop{.warp = warp, .mode = *mode, .site = *site};
}

}  // namespace

bool is_stop(const llvm::Instruction& instruction) {
  const auto* call = llvm::dyn_cast<llvm::CallInst>(&instruction);
  return call != nullptr && is_stop(call->getCalledFunction());
}

bool is_loop_cut(const Stop& stop) {
  return !stop.what.warp &&
         stop.what.mode == static_cast<std::uint32_t>(cpu_abi::BarrierMode::kCut);
}

const llvm::CallInst* stop_in(const llvm::BasicBlock& block) {
  return is_stop(block.front()) ? llvm::cast<llvm::CallInst>(&block.front()) : nullptr;
}

std::optional<std::vector<Stop>> separate_stops(llvm::Function& function) {
  std::vector<Stop> stops;
  for (llvm::Instruction& instruction : llvm::instructions(function)) {
    if (needs_stack(instruction)) {
      return std::nullopt;
    }
    auto* call = llvm::dyn_cast<llvm::CallInst>(&instruction);
    if (call == nullptr || !is_stop(call->getCalledFunction())) {
      continue;
    }
    const std::optional<PhaseStop> what = described(*call);
    if (!what) {
      return std::nullopt;
    }
    stops.push_back({.call = call, .after = nullptr, .what = *what});
  }
  if (stops.empty() || stops.size() > kMostStops ||
      (stops.size() + 1) * function.getInstructionCount() > kMostCopied) {
    return std::nullopt;
  }
  for (Stop& stop : stops) {
    llvm::SplitBlock(stop.call->getParent(), stop.call);
    stop.after = llvm::SplitBlock(stop.call->getParent(), stop.call->getNextNode());
  }
  return stops;
}

std::set<const llvm::BasicBlock*> blocks_before_stops(const llvm::BasicBlock& from) {
  std::set<const llvm::BasicBlock*> found = {&from};
  std::vector<const llvm::BasicBlock*> open = {&from};
  while (!open.empty()) {
    const llvm::BasicBlock* block = open.back();
    open.pop_back();
    if (stop_in(*block) != nullptr) {
      continue;
    }
    for (const llvm::BasicBlock* next : llvm::successors(block)) {
      if (found.insert(next).second) {
        open.push_back(next);
      }
    }
  }
  return found;
}

const llvm::BasicBlock* common_end(const std::vector<const llvm::BasicBlock*>& ways,
                                   const llvm::PostDominatorTree& behind) {
  const llvm::BasicBlock* end = ways[0];
  for (const llvm::BasicBlock* way : ways) {
    end = end == nullptr ? nullptr : behind.findNearestCommonDominator(end, way);
  }
  return end;
}

void add_blocks(std::set<const llvm::BasicBlock*>& found, const llvm::BasicBlock& from,
                llvm::function_ref<bool(const llvm::BasicBlock&)> is_end) {
  std::vector<const llvm::BasicBlock*> open = {&from};
  while (!open.empty()) {
    const llvm::BasicBlock* block = open.back();
    open.pop_back();
    if (!is_end(*block) && found.insert(block).second) {
      open.insert(open.end(), llvm::succ_begin(block), llvm::succ_end(block));
    }
  }
}

}  // namespace ws::clang_engine
