#include "runtime/compile/clang/bounds.h"

#include <array>

#include <llvm/Analysis/ValueTracking.h>
#include <llvm/Demangle/Demangle.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/Transforms/Utils/BasicBlockUtils.h>

#include "runtime/compile/clang/alignment.h"
#include "runtime/compile/clang/bounds_check.h"
#include "runtime/compile/clang/launch_values.h"
#include "runtime/compile/clang/shared_memory.h"
#include "runtime/compile/clang/wide_access.h"
#include "runtime/device/cpu/abi.h"

namespace ws::clang_engine {
namespace {

using cpu_abi::Object;

/// One read or write of memory.
struct Access {
  llvm::Instruction* at = nullptr;
  llvm::Value* address = nullptr;
  llvm::Value* bytes = nullptr;  ///< i64.
  bool write = false;
  std::uint64_t alignment =
      0;  ///< The address must be a multiple of it; 0: it need not be checked.
};

class Checker {
 public:
  Checker(llvm::Module& module, SiteTable& sites, std::vector<std::string>& objects)
      : module_(module),
        sites_(sites),
        objects_(objects),
        word_(llvm::Type::getInt32Ty(module.getContext())),
        long_(llvm::Type::getInt64Ty(module.getContext())) {}

  void run(llvm::Function& function) {
    std::vector<Access> accesses;
    std::vector<llvm::BinaryOperator*> divisions;
    for (llvm::BasicBlock& block : function) {
      const WideAccesses wide(block);
      for (llvm::Instruction& instruction : block) {
        collect(instruction, wide, accesses);
        auto* binary = llvm::dyn_cast<llvm::BinaryOperator>(&instruction);
        if (binary != nullptr && binary->isIntDivRem() &&
            !llvm::isa<llvm::ConstantInt>(binary->getOperand(1))) {
          divisions.push_back(binary);
        }
      }
    }
    for (const Access& access : accesses) {
      check(access);
    }
    for (llvm::BinaryOperator* division : divisions) {
      check_division(*division);
    }
  }

 private:
  void collect(llvm::Instruction& instruction, const WideAccesses& wide,
               std::vector<Access>& accesses) {
    const llvm::DataLayout& layout = module_.getDataLayout();
    const auto add = [&](llvm::Value* address, llvm::Type* type, llvm::Align promised, bool write) {
      const std::uint64_t bytes = layout.getTypeStoreSize(type);
      const std::uint64_t as_one =
          wide.continues(instruction) ? 0 : wide.bytes_of(instruction, bytes);
      accesses.push_back({&instruction, address, llvm::ConstantInt::get(long_, bytes), write,
                          doubtful_alignment(*address, as_one, promised, layout)});
    };
    if (auto* load = llvm::dyn_cast<llvm::LoadInst>(&instruction)) {
      add(load->getPointerOperand(), load->getType(), load->getAlign(), false);
    } else if (auto* store = llvm::dyn_cast<llvm::StoreInst>(&instruction)) {
      add(store->getPointerOperand(), store->getValueOperand()->getType(), store->getAlign(), true);
    } else if (auto* update = llvm::dyn_cast<llvm::AtomicRMWInst>(&instruction)) {
      add(update->getPointerOperand(), update->getType(), update->getAlign(), true);
    } else if (auto* swap = llvm::dyn_cast<llvm::AtomicCmpXchgInst>(&instruction)) {
      add(swap->getPointerOperand(), swap->getCompareOperand()->getType(), swap->getAlign(), true);
    } else if (auto* block = llvm::dyn_cast<llvm::MemIntrinsic>(&instruction)) {
      collect(*block, accesses);
    }
  }

  /// A copy, or memory that is filled: aligned as a whole where its length is a constant.
  void collect(llvm::MemIntrinsic& block, std::vector<Access>& accesses) {
    const llvm::DataLayout& layout = module_.getDataLayout();
    llvm::IRBuilder<> builder(&block);
    llvm::Value* bytes = builder.CreateZExtOrTrunc(block.getLength(), long_);
    const auto* constant = llvm::dyn_cast<llvm::ConstantInt>(bytes);
    const std::uint64_t length = constant == nullptr ? 0 : constant->getZExtValue();
    llvm::Value* to = block.getRawDest();
    accesses.push_back(
        {&block, to, bytes, true, doubtful_alignment(*to, length, block.getDestAlign(), layout)});
    if (auto* transfer = llvm::dyn_cast<llvm::MemTransferInst>(&block)) {
      llvm::Value* from = transfer->getRawSource();
      accesses.push_back({&block, from, bytes, false,
                          doubtful_alignment(*from, length, transfer->getSourceAlign(), layout)});
    }
  }

  /// The object that the address belongs to, as far as the code tells.
  struct Target {
    Object kind = Object::kUnknown;
    unsigned id = 0;
    llvm::Value* base = nullptr;    ///< Pointer to its first byte.
    llvm::Value* length = nullptr;  ///< i64, bytes.
  };

  Target target_of(const Access& access, llvm::IRBuilder<>& builder) {
    llvm::Value* object = llvm::getUnderlyingObject(access.address, 0);
    const llvm::DataLayout& layout = module_.getDataLayout();
    if (auto* local = llvm::dyn_cast<llvm::AllocaInst>(object)) {
      if (const auto size = local->getAllocationSize(layout)) {
        return {Object::kLocal, 0, local, builder.getInt64(size->getFixedValue())};
      }
    }
    if (auto* variable = llvm::dyn_cast<llvm::GlobalVariable>(object)) {
      if (is_dynamic_shared(*variable)) {
        llvm::Value* bytes = builder.CreateZExt(
            read_launch_value(builder, {LaunchValue::Of::kBlock, cpu_abi::kDynamicSharedOffset},
                              word_),
            long_);
        return {Object::kDynamicShared, object_id(*variable), variable, bytes};
      }
      return {Object::kVariable, object_id(*variable), variable,
              builder.getInt64(layout.getTypeAllocSize(variable->getValueType()))};
    }
    if (auto* argument = llvm::dyn_cast<llvm::Argument>(object)) {
      if (argument->hasByValAttr()) {
        return {Object::kLocal, 0, argument,
                builder.getInt64(layout.getTypeAllocSize(argument->getParamByValType()))};
      }
      if (argument->getParent()->hasExternalLinkage()) {  // A kernel's own.
        const unsigned slot = argument->getArgNo();
        llvm::Value* low = bound(builder, 2 * slot);
        llvm::Value* high = bound(builder, 2 * slot + 1);
        return {Object::kArgument, slot, builder.CreateIntToPtr(low, builder.getPtrTy()),
                builder.CreateSub(high, low)};
      }
    }
    return {};
  }

  void check(const Access& access) {
    if (access.alignment == 0 &&
        is_settled(access.address, access.bytes, module_.getDataLayout())) {
      return;
    }
    llvm::IRBuilder<> builder(access.at);
    const Target target = target_of(access, builder);
    const bool known = target.kind != Object::kUnknown;
    llvm::Value* none = builder.getInt64(0);
    add_bounds_check(builder, {.address = builder.CreatePtrToInt(access.address, long_),
                               .bytes = access.bytes,
                               .first = known ? builder.CreatePtrToInt(target.base, long_) : none,
                               .length = known ? target.length : none,
                               .kind = target.kind,
                               .id = target.id,
                               .write = access.write,
                               .alignment = static_cast<std::uint32_t>(access.alignment),
                               .thread = thread_id(builder),
                               .site = sites_.id_of(*access.at)});
  }

  void check_division(llvm::BinaryOperator& division) {
    llvm::IRBuilder<> builder(&division);
    llvm::Value* divisor = division.getOperand(1);
    if (divisor->getType()->isVectorTy()) {
      return;  // Only made by later passes; the source has none.
    }
    llvm::Value* zero =
        builder.CreateICmpEQ(divisor, llvm::ConstantInt::get(divisor->getType(), 0));
    llvm::Instruction* cold = llvm::SplitBlockAndInsertIfThen(zero, &division, true);
    builder.SetInsertPoint(cold);
    builder.SetCurrentDebugLocation(division.getDebugLoc());
    const auto kind = static_cast<std::uint32_t>(cpu_abi::Trap::kDivideByZero);
    const auto [x, y, z] = thread_id(builder);
    const std::array<llvm::Value*, 5> arguments = {builder.getInt32(kind), x, y, z,
                                                   builder.getInt32(sites_.id_of(division))};
    const llvm::FunctionCallee trap = module_.getOrInsertFunction(
        "ws_rt_trap", builder.getVoidTy(), word_, word_, word_, word_, word_);
    builder.CreateCall(trap, arguments)->setDoesNotThrow();
  }

  std::array<llvm::Value*, 3> thread_id(llvm::IRBuilder<>& builder) {
    const auto part = [&](const char* name) {
      return builder.CreateCall(module_.getOrInsertFunction(name, word_));
    };
    return {part("ws_rt_tid_x"), part("ws_rt_tid_y"), part("ws_rt_tid_z")};
  }

  llvm::Value* bound(llvm::IRBuilder<>& builder, unsigned index) {
    return read_launch_value(builder, {LaunchValue::Of::kBound, index}, long_);
  }

  unsigned object_id(const llvm::GlobalVariable& variable) {
    return number_of(objects_, variable.getName());
  }

  llvm::Module& module_;
  SiteTable& sites_;
  std::vector<std::string>& objects_;
  llvm::Type* word_;
  llvm::Type* long_;
};

}  // namespace

void insert_bounds_checks(llvm::Module& module, SiteTable& sites,
                          std::vector<std::string>& objects) {
  Checker checker(module, sites, objects);
  for (llvm::Function& function : module) {
    if (!function.isDeclaration()) {
      checker.run(function);
    }
  }
  for (std::string& name : objects) {
    name = llvm::demangle(name);  // "void sgemm<32>(float const*)::tile"
    const std::size_t scope = name.rfind("::");
    name = scope == std::string::npos ? name : name.substr(scope + 2);
  }
}

}  // namespace ws::clang_engine
