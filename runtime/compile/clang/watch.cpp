#include "runtime/compile/clang/watch.h"

#include <set>

#include <llvm/Analysis/ValueTracking.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/IntrinsicInst.h>

#include "runtime/compile/clang/guesses.h"
#include "runtime/compile/clang/scopes.h"
#include "runtime/compile/clang/waits.h"
#include "runtime/device/cpu/abi.h"

namespace ws::clang_engine {
namespace {

/// One use of memory by an instruction.
struct WatchedUse {
  llvm::Value* address = nullptr;
  llvm::Value* bytes = nullptr;  ///< i64.
  std::uint32_t flags = 0;
  llvm::Value* value = nullptr;  ///< The value that a store writes; null: it is not told.
};

/// No other thread can use it, or nobody writes to it.
bool is_private(const llvm::Value& address) {
  const llvm::Value* object = llvm::getUnderlyingObject(&address, 0);
  if (const auto* argument = llvm::dyn_cast<llvm::Argument>(object)) {
    return argument->hasByValAttr();
  }
  const auto* variable = llvm::dyn_cast<llvm::GlobalVariable>(object);
  return llvm::isa<llvm::AllocaInst>(object) || (variable != nullptr && variable->isConstant());
}

class Watcher {
 public:
  Watcher(llvm::Module& module, SiteTable& sites, std::vector<std::string>& objects)
      : module_(module),
        sites_(sites),
        objects_(objects),
        long_(llvm::Type::getInt64Ty(module.getContext())) {}

  void run(llvm::Function& function) {
    std::vector<llvm::Instruction*> instructions;
    for (llvm::Instruction& instruction : llvm::instructions(function)) {
      instructions.push_back(&instruction);
    }
    guesses_ = guesses_of(function);
    awaited_ = awaited_loads(function);
    for (llvm::Instruction* instruction : instructions) {
      llvm::IRBuilder<> builder(instruction);
      const std::uint32_t scope = has_block_scope(*instruction) ? cpu_abi::kWatchBlock : 0;
      if (releases(*instruction)) {
        call(builder, "ws_rt_watch_fence", {builder.getInt32(scope)});
      }
      for (const WatchedUse& use : uses_of(*instruction, builder)) {
        if (!is_private(*use.address)) {
          tell(use, *instruction, builder);
        }
      }
    }
  }

 private:
  /// A fence, or an atomic access that is one for what its thread did before.
  static bool releases(const llvm::Instruction& instruction) {
    if (const auto* fence = llvm::dyn_cast<llvm::FenceInst>(&instruction)) {
      return fence->getSyncScopeID() != llvm::SyncScope::SingleThread;
    }
    if (const auto* update = llvm::dyn_cast<llvm::AtomicRMWInst>(&instruction)) {
      return llvm::isReleaseOrStronger(update->getOrdering());
    }
    if (const auto* swap = llvm::dyn_cast<llvm::AtomicCmpXchgInst>(&instruction)) {
      return llvm::isReleaseOrStronger(swap->getSuccessOrdering());
    }
    const auto* store = llvm::dyn_cast<llvm::StoreInst>(&instruction);
    return store != nullptr && llvm::isReleaseOrStronger(store->getOrdering());
  }

  std::vector<WatchedUse> uses_of(llvm::Instruction& instruction, llvm::IRBuilder<>& builder) {
    using namespace cpu_abi;  // NOLINT(google-build-using-namespace): its flags.
    const auto bytes_of = [&](llvm::Type* type) {
      return builder.getInt64(module_.getDataLayout().getTypeStoreSize(type));
    };
    if (auto* load = llvm::dyn_cast<llvm::LoadInst>(&instruction)) {
      const std::uint32_t strong = load->isSimple() && !guesses_.contains(load) ? 0 : kWatchStrong;
      const bool loose = load->isVolatile() && !load->isAtomic() && !awaited_.contains(load);
      return {{load->getPointerOperand(), bytes_of(load->getType()),
               kWatchRead | strong | (loose ? kWatchLoose : 0), nullptr}};
    }
    if (auto* store = llvm::dyn_cast<llvm::StoreInst>(&instruction)) {
      const std::uint32_t strong = store->isSimple() ? 0 : kWatchStrong;
      const bool loose = store->isVolatile() && !store->isAtomic();
      llvm::Value* value = store->getValueOperand();
      return {{store->getPointerOperand(), bytes_of(value->getType()),
               kWatchWrite | strong | (loose ? kWatchLoose : 0), value}};
    }
    constexpr std::uint32_t kUpdate = kWatchRead | kWatchWrite | kWatchStrong;
    if (auto* update = llvm::dyn_cast<llvm::AtomicRMWInst>(&instruction)) {
      return {{update->getPointerOperand(), bytes_of(update->getType()), kUpdate, nullptr}};
    }
    if (auto* swap = llvm::dyn_cast<llvm::AtomicCmpXchgInst>(&instruction)) {
      return {{swap->getPointerOperand(), bytes_of(swap->getCompareOperand()->getType()), kUpdate,
               nullptr}};
    }
    std::vector<WatchedUse> uses;
    if (auto* block = llvm::dyn_cast<llvm::MemIntrinsic>(&instruction)) {
      llvm::Value* bytes = builder.CreateZExtOrTrunc(block->getLength(), long_);
      uses.push_back({block->getRawDest(), bytes, kWatchWrite, nullptr});
      if (auto* transfer = llvm::dyn_cast<llvm::MemTransferInst>(block)) {
        uses.push_back({transfer->getRawSource(), bytes, kWatchRead, nullptr});
      }
    }
    return uses;
  }

  /// The value's bits in 64; null where it has more, or is no scalar.
  llvm::Value* bits_of(llvm::Value* value, llvm::IRBuilder<>& builder) {
    llvm::Type* type = value->getType();
    if (type->isPointerTy()) {
      return builder.CreatePtrToInt(value, long_);
    }
    const std::uint64_t bits = type->getPrimitiveSizeInBits().getFixedValue();
    const bool scalar = type->isIntegerTy() || type->isFloatingPointTy();
    // A boolean's upper bits in memory are zeros as well.
    if (!scalar || bits > 8 * cpu_abi::kMostWatchedValueBytes) {
      return nullptr;
    }
    return builder.CreateZExt(
        builder.CreateBitCast(value, builder.getIntNTy(static_cast<unsigned>(bits))), long_);
  }

  void tell(const WatchedUse& use, llvm::Instruction& at, llvm::IRBuilder<>& builder) {
    llvm::Value* base = builder.getInt64(0);
    unsigned object = 0;
    llvm::Value* whole = llvm::getUnderlyingObject(use.address, 0);
    if (auto* variable = llvm::dyn_cast<llvm::GlobalVariable>(whole)) {
      base = builder.CreatePtrToInt(variable, long_);
      object = number_of(objects_, variable->getName());
    }
    llvm::Value* value = use.value == nullptr ? nullptr : bits_of(use.value, builder);
    const std::uint32_t flags = use.flags | (value == nullptr ? 0 : cpu_abi::kWatchValue) |
                                (has_block_scope(at) ? cpu_abi::kWatchBlock : 0);
    call(builder, "ws_rt_watch",
         {builder.CreatePtrToInt(use.address, long_), base, use.bytes, builder.getInt32(flags),
          builder.getInt32(object), value == nullptr ? builder.getInt64(0) : value,
          builder.getInt32(sites_.id_of(at))});
  }

  void call(llvm::IRBuilder<>& builder, const char* name,
            const std::vector<llvm::Value*>& arguments) {
    std::vector<llvm::Type*> types;
    types.reserve(arguments.size());
    for (const llvm::Value* argument : arguments) {
      types.push_back(argument->getType());
    }
    auto* type = llvm::FunctionType::get(builder.getVoidTy(), types, false);
    builder.CreateCall(module_.getOrInsertFunction(name, type), arguments)->setDoesNotThrow();
  }

  llvm::Module& module_;
  SiteTable& sites_;
  std::vector<std::string>& objects_;
  llvm::Type* long_;
  std::set<const llvm::LoadInst*> guesses_;  ///< Those of the function at hand,
  std::set<const llvm::LoadInst*> awaited_;  ///< and these.
};

}  // namespace

void insert_watch(llvm::Module& module, SiteTable& sites, std::vector<std::string>& objects) {
  Watcher watcher(module, sites, objects);
  for (llvm::Function& function : module) {
    if (!function.isDeclaration()) {
      watcher.run(function);
    }
  }
}

}  // namespace ws::clang_engine
