#include "runtime/compile/clang/confine.h"

#include <vector>

#include <llvm/Analysis/ScalarEvolution.h>
#include <llvm/IR/Dominators.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/IntrinsicInst.h>

#include "runtime/compile/clang/analyses.h"
#include "runtime/compile/clang/intrinsics.h"
#include "runtime/compile/clang/launch_values.h"
#include "runtime/compile/clang/local_memory.h"
#include "runtime/compile/clang/promises.h"
#include "runtime/compile/clang/retarget.h"
#include "runtime/compile/clang/safe_address.h"
#include "runtime/device/cpu/abi.h"

namespace ws::clang_engine {
namespace {

/// Address spaces from here on are the processor's segments, which add an offset of their own.
constexpr unsigned kFirstSegment = 256;
/// Longer copies do not exist: what is left of a length lies in window and guard.
constexpr std::uint64_t kLengthMask = cpu_abi::kRegionGuard / 4 - 1;

/// An address that an instruction uses: its operand.
struct Use {
  llvm::Instruction* at = nullptr;
  unsigned operand = 0;
  bool of_any_length = false;  ///< Then the access begins within the window itself.
};

Status refuse(const llvm::Instruction& instruction) {
  std::string text;
  llvm::raw_string_ostream stream(text);
  instruction.print(stream);
  const Site place = client_place(instruction.getDebugLoc());
  return fail(ErrorCode::kUnsupported,
              "an operation at " + place.region + ":" + std::to_string(place.line) +
                  " is not supported on the CPU engine:" + text.substr(0, 80));
}

class Confiner {
 public:
  Confiner(llvm::Function& function, SiteTable& sites, llvm::FunctionAnalysisManager& analyses)
      : function_(function),
        sites_(sites),
        analyses_(analyses) {}

  Result<std::uint64_t> run() {
    forget_promises(function_);
    settle_numbers(function_);
    for (llvm::Instruction& instruction : llvm::instructions(function_)) {
      WS_CHECK(inspect(instruction));
    }
    llvm::WeakTrackingVH local;
    WS_TRY(const std::uint64_t bytes, move_to_local_memory(function_, sites_, local));
    if (is_entry(function_)) {
      load_launch_values(function_);
    }
    SafeAddresses addresses(function_, analyses_.getResult<llvm::DominatorTreeAnalysis>(function_),
                            analyses_.getResult<llvm::ScalarEvolutionAnalysis>(function_));
    if (local != nullptr) {
      addresses.trust(local);  // The worker's word.
    }
    for (const Use& use : uses_) {
      confine(use, addresses);
    }
    return bytes;
  }

 private:
  Status use(llvm::Instruction& at, unsigned operand, bool of_any_length = false) {
    const llvm::Type* type = at.getOperand(operand)->getType()->getScalarType();
    if (type->getPointerAddressSpace() >= kFirstSegment) {
      return refuse(at);
    }
    uses_.push_back({&at, operand, of_any_length});
    return {};
  }

  /// Notes the addresses that the instruction uses.
  /// @errors kUnsupported: it might do something else.
  Status inspect(llvm::Instruction& instruction) {
    if (auto* call = llvm::dyn_cast<llvm::CallBase>(&instruction)) {
      return inspect_call(*call);
    }
    switch (instruction.getOpcode()) {
      case llvm::Instruction::Load:
        return use(instruction, llvm::LoadInst::getPointerOperandIndex());
      case llvm::Instruction::Store:
        return use(instruction, llvm::StoreInst::getPointerOperandIndex());
      case llvm::Instruction::AtomicRMW:
        return use(instruction, llvm::AtomicRMWInst::getPointerOperandIndex());
      case llvm::Instruction::AtomicCmpXchg:
        return use(instruction, llvm::AtomicCmpXchgInst::getPointerOperandIndex());
      case llvm::Instruction::Alloca:
      case llvm::Instruction::Fence:
      case llvm::Instruction::Ret:
      case llvm::Instruction::Br:
      case llvm::Instruction::Switch:
      case llvm::Instruction::Unreachable:
        return {};
      default:
        return instruction.isTerminator() || instruction.mayReadOrWriteMemory() ||
                       instruction.isEHPad() || llvm::isa<llvm::VAArgInst>(instruction)
                   ? refuse(instruction)
                   : Status();
    }
  }

  Status inspect_call(llvm::CallBase& call) {
    const llvm::Function* callee = call.getCalledFunction();
    if (!llvm::isa<llvm::CallInst>(call) || callee == nullptr || call.hasOperandBundles() ||
        callee->getFunctionType() != call.getFunctionType()) {
      return refuse(call);
    }
    if (callee->isIntrinsic()) {
      return inspect_intrinsic(call, callee->getIntrinsicID());
    }
    const bool known =
        !callee->isDeclaration() || launch_value_of(*callee) || worker_supplies(callee->getName());
    for (const llvm::Use& argument : call.args()) {
      // No function of the worker takes addresses, and none of the source copies to the stack.
      if (argument->getType()->isPtrOrPtrVectorTy() &&
          (callee->isDeclaration() || call.isPassPointeeByValueArgument(argument.getOperandNo()))) {
        return refuse(call);
      }
    }
    return known ? Status() : refuse(call);
  }

  Status inspect_intrinsic(llvm::CallBase& call, llvm::Intrinsic::ID id) {
    if (!accesses_memory(id)) {
      return only_computes(id) || only_marks(id) ? Status() : refuse(call);
    }
    if (auto* block = llvm::dyn_cast<llvm::MemIntrinsic>(&call)) {
      WS_CHECK(use(call, 0, /*of_any_length=*/true));
      return llvm::isa<llvm::MemTransferInst>(block) ? use(call, 1, /*of_any_length=*/true)
                                                     : Status();
    }
    const bool writes =
        id == llvm::Intrinsic::masked_store || id == llvm::Intrinsic::masked_scatter;
    return use(call, writes ? 1 : 0);
  }

  static void confine(const Use& use, SafeAddresses& addresses) {
    llvm::Value* address = use.at->getOperand(use.operand);
    llvm::Value* safe =
        use.of_any_length ? addresses.in_window(address) : addresses.near_region(address);
    if (safe->getType() != address->getType()) {
      llvm::IRBuilder<> builder(use.at);
      safe = llvm::isa<llvm::CallInst>(use.at)
                 ? builder.CreateAddrSpaceCast(safe, address->getType())
                 : safe;
    }
    use.at->setOperand(use.operand, safe);
    if (auto* block = llvm::dyn_cast<llvm::MemIntrinsic>(use.at);
        block != nullptr && use.operand == 0) {
      confine_length(*block);
    }
  }

  static void confine_length(llvm::MemIntrinsic& block) {
    llvm::Value* length = block.getLength();
    const auto* constant = llvm::dyn_cast<llvm::ConstantInt>(length);
    if (length->getType()->getIntegerBitWidth() < 64 ||
        (constant != nullptr && constant->getZExtValue() <= kLengthMask)) {
      return;
    }
    llvm::IRBuilder<> builder(&block);
    block.setLength(builder.CreateAnd(builder.CreateFreeze(length), kLengthMask));
  }

  llvm::Function& function_;
  SiteTable& sites_;
  llvm::FunctionAnalysisManager& analyses_;
  std::vector<Use> uses_;
};

}  // namespace

Result<LocalBytes> confine(llvm::Module& module, SiteTable& sites, llvm::TargetMachine& target) {
  LocalBytes local;
  llvm::PassBuilder builder(&target);
  Analyses analyses(builder);
  for (llvm::Function& function : module) {
    if (function.isDeclaration()) {
      continue;
    }
    set_safe_attributes(function);
    WS_TRY(const std::uint64_t bytes, Confiner(function, sites, analyses.functions).run());
    if (bytes != 0) {
      local[function.getName().str()] = bytes;
    }
  }
  return local;
}

}  // namespace ws::clang_engine
