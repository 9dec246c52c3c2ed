#include "runtime/compile/clang/confine.h"

#include <optional>
#include <vector>

#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/IR/Operator.h>

#include "runtime/compile/clang/intrinsics.h"
#include "runtime/compile/clang/launch_values.h"
#include "runtime/compile/clang/local_memory.h"
#include "runtime/compile/clang/offset_range.h"
#include "runtime/compile/clang/promises.h"
#include "runtime/compile/clang/retarget.h"
#include "runtime/device/cpu/abi.h"

namespace ws::clang_engine {
namespace {

/// From one access: it starts within the region and the guard, and may reach this much further.
constexpr std::uint64_t kWidestAccess = 1U << 20U;
constexpr std::uint64_t kMostOffset = cpu_abi::kRegionGuard - kWidestAccess;
/// Address spaces from here on are the processor's segments, which add an offset of their own.
constexpr unsigned kFirstSegment = 256;
/// Longer copies do not exist: what is left of a length lies in region and guard.
constexpr std::uint64_t kLengthMask = cpu_abi::kRegionGuard / 4 - 1;

/// An address that an instruction uses: its operand.
struct Use {
  llvm::Instruction* at = nullptr;
  unsigned operand = 0;
  bool of_any_length = false;  ///< Then the access begins within the region itself.
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
  Confiner(llvm::Function& function, SiteTable& sites)
      : function_(function),
        sites_(sites),
        layout_(function.getParent()->getDataLayout()),
        long_(llvm::Type::getInt64Ty(function.getContext())) {}

  Result<std::uint64_t> run() {
    forget_promises(function_);
    for (llvm::Instruction& instruction : llvm::instructions(function_)) {
      WS_CHECK(inspect(instruction));
    }
    llvm::WeakTrackingVH local;
    WS_TRY(const std::uint64_t bytes, move_to_local_memory(function_, sites_, local));
    if (is_entry(function_)) {
      load_launch_values(function_);
    }
    if (local != nullptr) {
      confined_[local] = local;  // The worker's word.
    }
    for (const Use& use : uses_) {
      confine(use);
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

  void confine(const Use& use) {
    llvm::Value* address = use.at->getOperand(use.operand);
    llvm::Value* safe = use.of_any_length ? masked(address) : confined(address, *use.at);
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

  /// The address, and what it is made of: a base forced into the region, and offsets that cannot
  /// leave the guard.
  llvm::Value* confined(llvm::Value* address, llvm::Instruction& at) {
    std::vector<llvm::GEPOperator*> steps;
    std::uint64_t reach = 0;
    llvm::Value* base = address;
    while (auto* step = llvm::dyn_cast<llvm::GEPOperator>(base)) {
      const std::optional<std::uint64_t> offset = most_offset(*step, layout_);
      if (!offset || *offset > kMostOffset - reach) {
        break;
      }
      reach += *offset;
      steps.push_back(step);
      base = step->getPointerOperand();
    }
    llvm::Value* result = masked(base);
    for (auto step = steps.rbegin(); step != steps.rend(); ++step) {
      result = repeated(**step, result, at);
    }
    return result;
  }

  /// The same step from another base.
  llvm::Value* repeated(llvm::GEPOperator& step, llvm::Value* base, llvm::Instruction& at) {
    auto* original = llvm::dyn_cast<llvm::Instruction>(&step);
    const auto key = std::make_pair(&step, base);
    if (const auto known = repeated_.find(key); original != nullptr && known != repeated_.end()) {
      return known->second;
    }
    llvm::IRBuilder<> builder(original == nullptr ? &at : original->getNextNode());
    const std::vector<llvm::Value*> indices(step.idx_begin(), step.idx_end());
    llvm::Value* result = builder.CreateGEP(step.getSourceElementType(), base, indices);
    if (original != nullptr) {
      repeated_[key] = result;
    }
    return result;
  }

  /// A variable of the image, or memory that the worker gave.
  static bool lies_in_region(const llvm::Value& base) {
    const auto* variable = llvm::dyn_cast<llvm::GlobalVariable>(&base);
    return variable != nullptr && !variable->isDeclaration() && !variable->isThreadLocal() &&
           variable->getAddressSpace() < kFirstSegment;
  }

  llvm::Value* masked(llvm::Value* pointer) {
    if (lies_in_region(*pointer)) {
      return pointer;
    }
    if (const auto known = confined_.find(pointer); known != confined_.end()) {
      return known->second;
    }
    llvm::IRBuilder<> builder(&*function_.getEntryBlock().getFirstInsertionPt());
    if (auto* made = llvm::dyn_cast<llvm::Instruction>(pointer)) {
      builder.SetInsertPoint(made->getParent(), llvm::isa<llvm::PHINode>(made)
                                                    ? made->getParent()->getFirstInsertionPt()
                                                    : std::next(made->getIterator()));
    }
    llvm::Type* type = pointer->getType()->getWithNewType(long_);
    llvm::Value* offset =
        builder.CreateAnd(builder.CreateFreeze(builder.CreatePtrToInt(pointer, type)),
                          llvm::ConstantInt::get(type, cpu_abi::kRegionBytes - 1));
    llvm::Constant* region = llvm::ConstantExpr::getIntToPtr(
        llvm::ConstantInt::get(long_, cpu_abi::kRegionBase), builder.getPtrTy());
    llvm::Value* result = builder.CreateGEP(builder.getInt8Ty(), region, offset);
    confined_[pointer] = result;
    return result;
  }

  llvm::Function& function_;
  SiteTable& sites_;
  const llvm::DataLayout& layout_;
  llvm::Type* long_;
  std::vector<Use> uses_;
  std::map<llvm::Value*, llvm::Value*> confined_;  ///< A pointer -> the same within the region.
  std::map<std::pair<llvm::GEPOperator*, llvm::Value*>, llvm::Value*> repeated_;
};

}  // namespace

Result<LocalBytes> confine(llvm::Module& module, SiteTable& sites) {
  LocalBytes local;
  for (llvm::Function& function : module) {
    if (function.isDeclaration()) {
      continue;
    }
    set_safe_attributes(function);
    WS_TRY(const std::uint64_t bytes, Confiner(function, sites).run());
    if (bytes != 0) {
      local[function.getName().str()] = bytes;
    }
  }
  return local;
}

}  // namespace ws::clang_engine
