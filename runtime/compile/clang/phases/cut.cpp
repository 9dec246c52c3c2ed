#include "runtime/compile/clang/phases/cut.h"

#include <algorithm>

#include <llvm/ADT/DepthFirstIterator.h>
#include <llvm/ADT/SetVector.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/Module.h>
#include <llvm/Transforms/Utils/BasicBlockUtils.h>
#include <llvm/Transforms/Utils/Cloning.h>
#include <llvm/Transforms/Utils/SSAUpdater.h>

#include "runtime/compile/clang/phases/arrival.h"
#include "runtime/compile/clang/phases/ends.h"
#include "runtime/compile/clang/phases/lane_reads.h"
#include "runtime/compile/clang/phases/records.h"
#include "runtime/device/cpu/abi.h"

namespace ws::clang_engine {
namespace {

constexpr unsigned kIdParameters = 4;  ///< Block*, x, y, z.
/// Its upper half, of 32 bits, is no small number either, whatever its type is.
constexpr std::uint64_t kNonsense = 0x5ca1ab1e0ddba115;

/// A value of the kernel, and what it is when the phase begins.
struct Entering {
  const llvm::Instruction* original = nullptr;
  llvm::Value* at_entry = nullptr;
};

class PhaseCutter {
 public:
  PhaseCutter(const CutSource& source, std::size_t number)
      : source_(source),
        number_(number) {
    phase_.same_way = ends_same_way(source_, number_);
  }

  Phase run() {
    declare();
    llvm::SmallVector<llvm::ReturnInst*, 8> returns;
    llvm::CloneFunctionInto(phase_.function, &source_.thread, map_,
                            llvm::CloneFunctionChangeType::LocalChangesOnly, returns);
    make_entry();
    read_lanes();
    for (llvm::ReturnInst* end : returns) {
      llvm::BasicBlock* block = end->getParent();
      end->eraseFromParent();
      return_at_end(block, cpu_abi::kPhaseDone);
    }
    for (std::size_t stop = 0; stop < source_.stops.size(); ++stop) {
      end_at(stop);
    }
    const std::vector<Entering> entering = entering_;
    std::erase_if(entering_, [&](const Entering& value) { return is_only_entering(value); });
    for (const Entering& value : entering_) {
      merge_entering(value);
    }
    llvm::EliminateUnreachableBlocks(*phase_.function);
    drop_stores_of_unchanged(entering);
    phase_.changes_no_unit_value = number_ != 0 && !stores_unit_value_at(number_ - 1);
    remove_stop_calls();
    return std::move(phase_);
  }

 private:
  void declare() {
    llvm::Function& thread = source_.thread;
    std::vector<llvm::Type*> types;
    types.reserve(kFirstUnitValue + 1);
    for (unsigned i = 0; i < kIdParameters; ++i) {
      types.push_back(thread.getArg(i)->getType());
    }
    types.push_back(llvm::Type::getInt64Ty(thread.getContext()));
    types.push_back(llvm::Type::getInt1Ty(thread.getContext()));
    for (const llvm::Instruction* value : needed()) {
      if (!source_.values.is_computed_again(*value) && source_.values.slot(*value).of_unit) {
        types.push_back(value->getType());
        phase_.of_unit.emplace_back(value->getType(), source_.values.slot(*value));
      }
    }
    types.push_back(thread.getArg(kIdParameters)->getType());
    phase_.function = llvm::Function::Create(
        llvm::FunctionType::get(llvm::Type::getInt32Ty(thread.getContext()), types, false),
        llvm::GlobalValue::InternalLinkage, "ws_phase", thread.getParent());
    phase_.function->addFnAttr(llvm::Attribute::NoUnwind);
    for (unsigned i = 0; i < kIdParameters; ++i) {
      map_[thread.getArg(i)] = phase_.function->getArg(i);
    }
    map_[thread.getArg(kIdParameters)] =
        phase_.function->getArg(static_cast<unsigned>(types.size()) - 1);
  }

  [[nodiscard]] std::vector<llvm::Instruction*> needed() const {
    return number_ == 0 ? std::vector<llvm::Instruction*>()
                        : source_.values.needed_after(number_ - 1);
  }

  llvm::Value* copied(const llvm::Value* original) { return map_[original]; }

  template <typename Kind>
  Kind* copy_of(const Kind* original) {
    return llvm::cast<Kind>(copied(original));
  }

  [[nodiscard]] ThreadPlace place() const {
    return {.number = thread_,
            .alone = phase_.function->getArg(kAloneParameter),
            .same_way = phase_.same_way};
  }

  /// The block that puts the values of the thread in place and goes on behind the stop.
  void make_entry() {
    llvm::BasicBlock* start = &phase_.function->getEntryBlock();
    if (number_ != 0) {
      start = copy_of(source_.stops[number_ - 1].after);
    }
    llvm::BasicBlock* entry = llvm::BasicBlock::Create(
        phase_.function->getContext(), "enter", phase_.function, &phase_.function->getEntryBlock());
    llvm::IRBuilder<> builder(entry);
    thread_ = phase_.function->getArg(kNumberParameter);
    if (!phase_.same_way) {
      // One address for all ends: a choice of two would make a vector of addresses.
      state_ = thread_slot(builder, thread_, cpu_abi::kPhaseState, 4);
    }
    if (number_ != 0) {
      const Stop& stop = source_.stops[number_ - 1];
      if (!stop.call->use_empty()) {
        entering_.push_back({stop.call, load_result(builder, stop, place())});
      }
    }
    unsigned parameter = kFirstUnitValue;
    for (const llvm::Instruction* value : needed()) {
      const bool again = source_.values.is_computed_again(*value);
      llvm::Value* at_entry = again ? computed_again(builder, value) : nullptr;
      if (!again) {
        at_entry = source_.values.slot(*value).of_unit ? phase_.function->getArg(parameter++)
                                                       : load(builder, *value);
      }
      entering_.push_back({value, at_entry});
    }
    builder.CreateBr(start);
  }

  llvm::Value* load(llvm::IRBuilder<>& builder, const llvm::Instruction& value) {
    llvm::Type* type = type_in_slot(value.getType());
    llvm::LoadInst* loaded = builder.CreateLoad(type, address(builder, value));
    phase_.of_threads.emplace(loaded, source_.values.slot(value));
    return type == value.getType() ? loaded : builder.CreateTrunc(loaded, value.getType());
  }

  llvm::Value* address(llvm::IRBuilder<>& builder, const llvm::Instruction& value) {
    const Slot& slot = source_.values.slot(value);
    return slot.of_unit ? unit_slot(builder, cpu_abi::kUnitValuesOffset, slot.offset)
                        : address(builder, value, thread_);
  }

  /// Where the thread of this number keeps a value that is not its unit's.
  llvm::Value* address(llvm::IRBuilder<>& builder, const llvm::Instruction& value,
                       llvm::Value* thread) {
    const llvm::DataLayout& layout = phase_.function->getParent()->getDataLayout();
    return thread_slot(builder, thread, source_.values.slot(value).offset,
                       layout.getTypeAllocSize(type_in_slot(value.getType())));
  }

  /// The stops that a thread has come to of those behind which lanes read from each other.
  llvm::Value* meetings_of(llvm::IRBuilder<>& builder, llvm::Value* thread) {
    return thread_slot(builder, thread, source_.values.meetings_at(), 4);
  }

  /// All lanes of a whole warp have come to the stop before. Where a thread runs alone, the block
  /// may have no such lane, which gives the reader's own value, or it has ended or gone another
  /// way, which gives nonsense, as it does on fibers.
  void read_lanes() {
    const std::vector<llvm::CallInst*> reads = lane_reads(source_.thread);
    if (reads.empty()) {
      return;
    }
    llvm::IRBuilder<> start(phase_.function->getEntryBlock().getTerminator());
    llvm::Type* word = start.getInt32Ty();
    if (number_ == 0) {
      start.CreateStore(start.getInt32(0), meetings_of(start, thread_));
    }
    llvm::Value* threads = threads_of_block(start);
    llvm::Value* own = start.CreateLoad(word, meetings_of(start, thread_));
    llvm::Value* whole = start.CreateNot(place().alone);
    for (llvm::CallInst* read : reads) {
      const auto& value = *llvm::cast<llvm::Instruction>(read->getArgOperand(0));
      llvm::CallInst* copy = copy_of(read);
      llvm::IRBuilder<> builder(copy);
      llvm::Value* thread = source_of_read(builder, *copy, thread_);
      llvm::Value* kept = builder.CreateLoad(value.getType(), address(builder, value, thread));
      llvm::Value* behind =
          builder.CreateSub(builder.CreateLoad(word, meetings_of(builder, thread)), own);
      llvm::Value* came =
          builder.CreateOr(whole, builder.CreateICmpSGE(behind, builder.getInt32(0)));
      llvm::Value* exists = builder.CreateOr(whole, builder.CreateICmpULT(thread, threads));
      llvm::Value* given = builder.CreateSelect(came, kept, nonsense(*value.getType()));
      copy->replaceAllUsesWith(builder.CreateSelect(exists, given, copy->getArgOperand(0)));
      copy->eraseFromParent();
    }
  }

  static llvm::Value* nonsense(llvm::Type& type) {
    return llvm::ConstantInt::get(&type, kNonsense >> (64 - type.getIntegerBitWidth()));
  }

  llvm::Value* computed_again(llvm::IRBuilder<>& builder, const llvm::Value* value) {
    const auto* original = llvm::dyn_cast<llvm::Instruction>(value);
    if (original == nullptr) {
      return copy_of(value);  // One of the thread's parameters.
    }
    if (again_.contains(original)) {
      return again_[original];
    }
    llvm::Instruction* copy = copy_of(original)->clone();
    for (unsigned i = 0; i < original->getNumOperands(); ++i) {
      if (!llvm::isa<llvm::Constant>(original->getOperand(i))) {
        copy->setOperand(i, computed_again(builder, original->getOperand(i)));
      }
    }
    builder.Insert(copy);
    again_[original] = copy;
    return copy;
  }

  /// The thread says what it brings to the stop, keeps its values, and returns.
  void end_at(std::size_t number) {
    const Stop& stop = source_.stops[number];
    llvm::CallInst* call = copy_of(stop.call);
    calls_.emplace_back(call);
    store_operands(stop, *call, place());
    llvm::IRBuilder<> builder(call);
    for (const llvm::Instruction* value : source_.values.needed_after(number)) {
      if (!source_.values.is_computed_again(*value)) {
        llvm::Value* kept = copy_of(value);
        llvm::Type* type = type_in_slot(value->getType());
        kept = type == value->getType() ? kept : builder.CreateZExt(kept, type);
        keeps_.emplace_back(value, builder.CreateStore(kept, address(builder, *value)));
      }
    }
    if (stop.read_behind) {
      llvm::Value* count = meetings_of(builder, thread_);
      llvm::Value* before = builder.CreateLoad(builder.getInt32Ty(), count);
      builder.CreateStore(builder.CreateAdd(before, builder.getInt32(1)), count);
    }
    llvm::BasicBlock* block = call->getParent();
    block->getTerminator()->eraseFromParent();
    return_at_end(block, static_cast<std::uint32_t>(number) + 1);
  }

  /// Where not all threads of a unit end the phase alike, each says how it does.
  void return_at_end(llvm::BasicBlock* block, std::uint32_t next) {
    llvm::IRBuilder<> builder(block);
    if (!phase_.same_way) {
      builder.CreateStore(builder.getInt32(next), state_);
    }
    builder.CreateRet(builder.getInt32(next));
  }

  [[nodiscard]] bool is_stop_call(const llvm::Value* value) const {
    return std::any_of(source_.stops.begin(), source_.stops.end(),
                       [&](const Stop& stop) { return stop.call == value; });
  }

  /// True for a value that is not computed anew in this phase: it is replaced.
  bool is_only_entering(const Entering& value) {
    auto* copy = llvm::cast<llvm::Instruction>(copied(value.original));
    const bool only = is_stop_call(value.original) ||
                      source_.values.is_computed_again(*value.original) ||
                      !can_be_reached(*copy->getParent());
    if (only) {
      copy->replaceAllUsesWith(value.at_entry);
    }
    return only;
  }

  /// Behind the stop, a value is what the thread brought there, until it is computed anew.
  void merge_entering(const Entering& value) {
    auto* copy = llvm::cast<llvm::Instruction>(copied(value.original));
    llvm::SSAUpdater updater;
    updater.Initialize(copy->getType(), copy->getName());
    updater.AddAvailableValue(&phase_.function->getEntryBlock(), value.at_entry);
    updater.AddAvailableValue(copy->getParent(), copy);
    for (llvm::Use& use : llvm::make_early_inc_range(copy->uses())) {
      const auto* user = llvm::cast<llvm::Instruction>(use.getUser());
      if (llvm::isa<llvm::PHINode>(user) || user->getParent() != copy->getParent()) {
        updater.RewriteUse(use);
      }
    }
  }

  bool can_be_reached(const llvm::BasicBlock& block) {
    if (reached_.empty()) {
      for (const llvm::BasicBlock* found : llvm::depth_first(phase_.function)) {
        reached_.insert(found);
      }
    }
    return reached_.contains(&block);
  }

  /// A slot holds its value until another one is stored.
  void drop_stores_of_unchanged(const std::vector<Entering>& entering) {
    std::map<const llvm::Instruction*, const llvm::Value*> at_entry;
    for (const Entering& value : entering) {
      at_entry[value.original] = value.at_entry;
    }
    for (const auto& [original, handle] : keeps_) {
      auto* store = llvm::cast_or_null<llvm::StoreInst>(static_cast<llvm::Value*>(handle));
      const bool own_result = number_ != 0 && source_.stops[number_ - 1].call == original;
      if (store != nullptr && !own_result && at_entry.contains(original) &&
          store->getValueOperand() == at_entry[original]) {
        store->eraseFromParent();
      }
    }
  }

  [[nodiscard]] bool stores_unit_value_at(std::size_t stop) const {
    const auto* call = llvm::cast_or_null<llvm::CallInst>(static_cast<llvm::Value*>(calls_[stop]));
    return call != nullptr && std::any_of(keeps_.begin(), keeps_.end(), [&](const auto& kept) {
             const auto* store =
                 llvm::cast_or_null<llvm::StoreInst>(static_cast<llvm::Value*>(kept.second));
             return store != nullptr && store->getParent() == call->getParent() &&
                    source_.values.slot(*kept.first).of_unit;
           });
  }

  void remove_stop_calls() {
    for (const llvm::WeakVH& handle : calls_) {
      if (auto* call = llvm::cast_or_null<llvm::CallInst>(static_cast<llvm::Value*>(handle))) {
        call->replaceAllUsesWith(llvm::PoisonValue::get(call->getType()));
        call->eraseFromParent();
      }
    }
  }

  const CutSource& source_;
  const std::size_t number_;
  Phase phase_;
  llvm::ValueToValueMapTy map_;
  llvm::Value* thread_ = nullptr;  ///< The thread's number.
  llvm::Value* state_ = nullptr;   ///< Where it says how it ends; null: nowhere.
  std::vector<Entering> entering_;
  std::map<const llvm::Instruction*, llvm::Value*> again_;
  std::vector<std::pair<const llvm::Instruction*, llvm::WeakTrackingVH>> keeps_;
  std::vector<llvm::WeakVH> calls_;  ///< The copies of the stops.
  std::set<const llvm::BasicBlock*> reached_;
};

}  // namespace

Phase cut_phase(const CutSource& source, std::size_t number) {
  return PhaseCutter(source, number).run();
}

}  // namespace ws::clang_engine
