#include "runtime/compile/clang/bounds.h"

#include <array>
#include <optional>

#include <llvm/Analysis/ValueTracking.h>
#include <llvm/Demangle/Demangle.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/Transforms/Utils/BasicBlockUtils.h>

#include "runtime/compile/clang/alignment.h"
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
    llvm::IRBuilder<> builder(access.at);
    if (access.alignment == 0 && within_constant_range(access)) {
      return;
    }
    const Target target = target_of(access, builder);
    llvm::Value* address = builder.CreatePtrToInt(access.address, long_);
    const unsigned site = sites_.id_of(*access.at);
    if (target.kind == Object::kUnknown) {
      call(builder, "ws_rt_check",
           {address, access.bytes, builder.getInt32(access.write ? 1 : 0),
            builder.getInt32(static_cast<std::uint32_t>(access.alignment))},
           site);
      return;
    }
    llvm::Value* low = builder.CreatePtrToInt(target.base, long_);
    llvm::Value* offset = builder.CreateSub(address, low);
    llvm::Value* beyond = builder.CreateICmpUGT(offset, target.length);
    llvm::Value* left = builder.CreateSub(target.length, offset);
    llvm::Value* bad = builder.CreateOr(beyond, builder.CreateICmpULT(left, access.bytes));
    if (access.alignment != 0) {
      llvm::Value* odd = builder.CreateAnd(address, builder.getInt64(access.alignment - 1));
      bad = builder.CreateOr(bad, builder.CreateICmpNE(odd, builder.getInt64(0)));
    }
    llvm::Instruction* cold = llvm::SplitBlockAndInsertIfThen(bad, access.at, /*Unreachable=*/true);
    builder.SetInsertPoint(cold);
    builder.SetCurrentDebugLocation(access.at->getDebugLoc());
    call(builder, "ws_rt_oob",
         {builder.getInt32(static_cast<std::uint32_t>(target.kind)), builder.getInt32(target.id),
          offset, target.length, access.bytes, builder.getInt32(access.write ? 1 : 0),
          builder.getInt32(static_cast<std::uint32_t>(access.alignment))},
         site);
  }

  /// A local or variable at a constant offset inside it needs no check at run time.
  bool within_constant_range(const Access& access) {
    const auto* bytes = llvm::dyn_cast<llvm::ConstantInt>(access.bytes);
    const llvm::DataLayout& layout = module_.getDataLayout();
    std::int64_t offset = 0;
    llvm::Value* base =
        llvm::GetPointerBaseWithConstantOffset(access.address->stripPointerCasts(), offset, layout);
    base = base->stripPointerCasts();
    std::optional<std::uint64_t> size;
    if (auto* local = llvm::dyn_cast<llvm::AllocaInst>(base)) {
      if (const auto allocated = local->getAllocationSize(layout)) {
        size = allocated->getFixedValue();
      }
    } else if (auto* variable = llvm::dyn_cast<llvm::GlobalVariable>(base);
               variable != nullptr && !is_dynamic_shared(*variable)) {
      size = layout.getTypeAllocSize(variable->getValueType()).getFixedValue();
    }
    return bytes != nullptr && size.has_value() && offset >= 0 &&
           static_cast<std::uint64_t>(offset) + bytes->getZExtValue() <= *size;
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
    call(builder, "ws_rt_trap", {builder.getInt32(kind)}, sites_.id_of(division));
  }

  /// Calls a runtime function: `arguments`, then the thread's x, y, z, then the site.
  void call(llvm::IRBuilder<>& builder, const char* name, std::vector<llvm::Value*> arguments,
            unsigned site) {
    for (const char* id : {"ws_rt_tid_x", "ws_rt_tid_y", "ws_rt_tid_z"}) {
      arguments.push_back(builder.CreateCall(module_.getOrInsertFunction(id, word_)));
    }
    arguments.push_back(builder.getInt32(site));
    std::vector<llvm::Type*> types;
    types.reserve(arguments.size());
    for (const llvm::Value* argument : arguments) {
      types.push_back(argument->getType());
    }
    auto* type = llvm::FunctionType::get(builder.getVoidTy(), types, false);
    llvm::CallInst* made = builder.CreateCall(module_.getOrInsertFunction(name, type), arguments);
    made->setDoesNotThrow();
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
