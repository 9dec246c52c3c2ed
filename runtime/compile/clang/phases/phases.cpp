#include "runtime/compile/clang/phases/phases.h"

#include <algorithm>
#include <memory>

#include <llvm/Analysis/LoopInfo.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/Passes/PassBuilder.h>
#include <llvm/Transforms/InstCombine/InstCombine.h>
#include <llvm/Transforms/Scalar/EarlyCSE.h>
#include <llvm/Transforms/Scalar/IndVarSimplify.h>
#include <llvm/Transforms/Scalar/LoopPassManager.h>
#include <llvm/Transforms/Scalar/LoopRotation.h>
#include <llvm/Transforms/Scalar/LoopUnrollPass.h>
#include <llvm/Transforms/Scalar/SROA.h>
#include <llvm/Transforms/Scalar/SimplifyCFG.h>
#include <llvm/Transforms/Utils/Cloning.h>
#include <llvm/Transforms/Utils/LCSSA.h>
#include <llvm/Transforms/Utils/LoopSimplify.h>

#include "runtime/compile/clang/analyses.h"
#include "runtime/compile/clang/bounds_check.h"
#include "runtime/compile/clang/intrinsics.h"
#include "runtime/compile/clang/local_memory.h"
#include "runtime/compile/clang/phases/entries.h"
#include "runtime/compile/clang/phases/exchange.h"
#include "runtime/compile/clang/phases/lane_reads.h"
#include "runtime/compile/clang/phases/loop_cuts.h"
#include "runtime/compile/clang/phases/warp_starts.h"
#include "runtime/compile/clang/yields.h"

namespace ws::clang_engine {
namespace {

/// A loop with stops stays one, unless the source has it unrolled: each copy would be cut.
void keep_loops_with_stops(const llvm::LoopInfo& loops) {
  for (llvm::Loop* loop : loops.getLoopsInPreorder()) {
    const auto has = [&](const char* option) {
      return llvm::findOptionMDForLoop(loop, option) != nullptr;
    };
    const bool stops = std::any_of(loop->block_begin(), loop->block_end(), [](const auto* block) {
      return std::any_of(block->begin(), block->end(),
                         [](const llvm::Instruction& instruction) { return is_stop(instruction); });
    });
    if (stops && !has("llvm.loop.unroll.full") && !has("llvm.loop.unroll.enable") &&
        !has("llvm.loop.unroll.count")) {
      loop->setLoopAlreadyUnrolled();
    }
  }
}

/// A check of a place that is known by now would keep its array from becoming values.
struct SettleChecks : llvm::PassInfoMixin<SettleChecks> {
  static llvm::PreservedAnalyses run(llvm::Function& function, llvm::FunctionAnalysisManager&) {
    remove_settled_checks(function);
    return llvm::PreservedAnalyses::none();
  }
};

/// Loops of known length are unrolled, so that local arrays become values: what is left of these is
/// memory that no vector holds.
void simplify(llvm::Function& function, llvm::TargetMachine& target) {
  llvm::PassBuilder builder(&target);
  Analyses analyses(builder);
  keep_loops_with_stops(analyses.functions.getResult<llvm::LoopAnalysis>(function));
  llvm::FunctionPassManager passes;
  llvm::LoopPassManager loops;
  loops.addPass(llvm::LoopRotatePass());
  loops.addPass(llvm::IndVarSimplifyPass());
  loops.addPass(llvm::LoopFullUnrollPass());
  passes.addPass(llvm::SimplifyCFGPass());
  passes.addPass(llvm::createFunctionToLoopPassAdaptor(std::move(loops)));
  passes.addPass(SettleChecks());
  passes.addPass(llvm::SROAPass(llvm::SROAOptions::ModifyCFG));
  passes.addPass(llvm::EarlyCSEPass(/*UseMemorySSA=*/true));
  passes.addPass(llvm::InstCombinePass(llvm::InstCombineOptions().setVerifyFixpoint(false)));
  passes.addPass(llvm::SimplifyCFGPass());
  passes.addPass(llvm::LoopSimplifyPass());
  passes.addPass(llvm::LCSSAPass());
  passes.run(function, analyses.functions);
}

void remove_marks(llvm::Function& function) {
  for (llvm::Instruction& instruction : llvm::make_early_inc_range(llvm::instructions(function))) {
    const auto* intrinsic = llvm::dyn_cast<llvm::IntrinsicInst>(&instruction);
    if (intrinsic != nullptr && only_marks(intrinsic->getIntrinsicID())) {
      instruction.eraseFromParent();
    }
  }
}

/// Code is made of them twice; more would keep the compiler busy for longer than the kernel saves.
constexpr unsigned kMostInstructions = 8000;

/// Phases, which are no functions of their own in the end.
struct PhaseList {
  PhaseList() = default;
  PhaseList(const PhaseList&) = delete;
  PhaseList& operator=(const PhaseList&) = delete;

  ~PhaseList() {
    for (const Phase& phase : list) {
      phase.function->eraseFromParent();
    }
  }

  [[nodiscard]] unsigned instructions() const {
    unsigned sum = 0;
    for (const Phase& phase : list) {
      sum += phase.function->getInstructionCount();
    }
    return sum;
  }

  std::vector<Phase> list;
};

/// A copy to work on, which is an entry as long as its local memory is laid out.
struct WorkingCopy {
  explicit WorkingCopy(llvm::Function& thread) {
    llvm::ValueToValueMapTy map;
    function = llvm::CloneFunction(&thread, map);
    function->setName("ws_to_cut");
  }

  WorkingCopy(const WorkingCopy&) = delete;
  WorkingCopy& operator=(const WorkingCopy&) = delete;

  ~WorkingCopy() { function->eraseFromParent(); }

  llvm::Function* function = nullptr;
};

}  // namespace

std::optional<CutKernel> cut_into_phases(llvm::Function& thread, std::size_t number, Build build,
                                         SiteTable& sites, llvm::TargetMachine& target) {
  const WorkingCopy copy(thread);
  remove_yields(*copy.function);
  remove_marks(*copy.function);
  simplify(*copy.function, target);
  llvm::WeakTrackingVH local;
  const auto bytes = move_to_local_memory(*copy.function, sites, local);
  if (!bytes) {
    return std::nullopt;
  }
  {
    llvm::PassBuilder builder(&target);
    Analyses analyses(builder);
    insert_loop_cuts(*copy.function, analyses.functions);
  }
  std::optional<std::vector<Stop>> stops = separate_stops(*copy.function);
  std::unique_ptr<Uniformity> uniformity;
  CutKernel cut;
  if (stops) {
    cut.code.warps =
        std::any_of(stops->begin(), stops->end(), [](const Stop& stop) { return stop.what.warp; });
    cut.code.aligned = cut.code.warps && insert_warp_starts(*copy.function);
    uniformity = std::make_unique<Uniformity>(*copy.function, cut.code.aligned);
    llvm::PassBuilder builder(&target);
    Analyses analyses(builder);
    if (make_lane_reads(*copy.function, *stops, *uniformity, analyses.functions)) {
      uniformity = std::make_unique<Uniformity>(*copy.function, cut.code.aligned);
    }
    remove_parted_cuts(*copy.function, *stops, *uniformity);
  }
  if (!stops || stops->empty()) {
    return std::nullopt;
  }
  for (Stop& stop : *stops) {
    stop.stay_together = build == Build::kFast;
  }
  cut.private_bytes = *bytes;
  const CarriedValues values(*copy.function, *stops, uniformity.get());
  for (std::size_t i = 0; i < stops->size(); ++i) {
    find_operands((*stops)[i], i, values, *uniformity);
  }
  const CutSource source{
      .thread = *copy.function, .stops = *stops, .values = values, .uniformity = uniformity.get()};
  PhaseList phases;
  for (std::size_t i = 0; i <= stops->size(); ++i) {
    phases.list.push_back(cut_phase(source, i));
    if (phases.instructions() > kMostInstructions) {
      return std::nullopt;
    }
  }
  cut.code.thread_bytes = values.thread_bytes();
  cut.code.unit_bytes = values.unit_bytes();
  for (const Stop& stop : *stops) {
    cut.code.stops.push_back(stop.what);
  }
  cut.turn_function = "ws_turn_" + std::to_string(number);
  make_turn_function(phases.list, *stops, cut.turn_function);
  cut.rows_function = "ws_rows_" + std::to_string(number);
  make_rows_function(phases.list, *stops, *uniformity, cut.code.warps, build == Build::kBounds,
                     cut.rows_function);
  return cut;
}

}  // namespace ws::clang_engine
