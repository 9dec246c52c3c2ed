#include "runtime/compile/clang/retarget.h"

#include <algorithm>
#include <array>
#include <set>

#include <llvm/ADT/StringSet.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/InstIterator.h>

#include "runtime/compile/clang/address_looks.h"
#include "runtime/compile/clang/bounds.h"
#include "runtime/compile/clang/bounds_check.h"
#include "runtime/compile/clang/codegen.h"
#include "runtime/compile/clang/conversions.h"
#include "runtime/compile/clang/launch_values.h"
#include "runtime/compile/clang/phases/records.h"
#include "runtime/compile/clang/phases/thread_loops.h"
#include "runtime/compile/clang/prepare.h"
#include "runtime/compile/clang/profile.h"
#include "runtime/compile/clang/ptx/lower.h"
#include "runtime/compile/clang/scopes.h"
#include "runtime/compile/clang/shared_memory.h"
#include "runtime/compile/clang/supported.h"
#include "runtime/compile/clang/waits.h"
#include "runtime/compile/clang/watch.h"
#include "runtime/compile/clang/yields.h"
#include "runtime/device/cpu/abi.h"
#include "runtime/device/cpu/imports.h"

namespace ws::clang_engine {
namespace {

struct IdSource {
  const char* name;
  int thread_param;       ///< Index of the thread function's parameter, or -1.
  unsigned block_offset;  ///< Otherwise: where in cpu_abi::Block.
};

constexpr std::array kIds = {
    IdSource{"ws_rt_tid_x", 1, 0},
    IdSource{"ws_rt_tid_y", 2, 0},
    IdSource{"ws_rt_tid_z", 3, 0},
    IdSource{"ws_rt_bid_x", -1, cpu_abi::kBlockIdxOffset},
    IdSource{"ws_rt_bid_y", -1, cpu_abi::kBlockIdxOffset + 4},
    IdSource{"ws_rt_bid_z", -1, cpu_abi::kBlockIdxOffset + 8},
    IdSource{"ws_rt_bdim_x", -1, cpu_abi::kBlockDimOffset},
    IdSource{"ws_rt_bdim_y", -1, cpu_abi::kBlockDimOffset + 4},
    IdSource{"ws_rt_bdim_z", -1, cpu_abi::kBlockDimOffset + 8},
    IdSource{"ws_rt_gdim_x", -1, cpu_abi::kGridDimOffset},
    IdSource{"ws_rt_gdim_y", -1, cpu_abi::kGridDimOffset + 4},
    IdSource{"ws_rt_gdim_z", -1, cpu_abi::kGridDimOffset + 8},
    IdSource{"ws_rt_cooperative", -1, cpu_abi::kCooperativeOffset},
};

/// Replaces the calls of id functions inside `thread` by its parameters and the block's fields.
void replace_ids(llvm::Function& thread) {
  llvm::Module& module = *thread.getParent();
  const auto replace = [&](const char* name, const auto& make) {
    llvm::Function* source = module.getFunction(name);
    if (source == nullptr) {
      return;
    }
    llvm::Value* value = nullptr;
    for (llvm::User* user : llvm::make_early_inc_range(source->users())) {
      auto* call = llvm::dyn_cast<llvm::CallInst>(user);
      if (call != nullptr && call->getFunction() == &thread) {
        if (value == nullptr) {
          // The first instruction may be the call that goes: each value is made before its own.
          llvm::IRBuilder<> builder(&*thread.getEntryBlock().getFirstInsertionPt());
          value = make(builder);
        }
        call->replaceAllUsesWith(value);
        call->eraseFromParent();
      }
    }
  };
  for (const IdSource& id : kIds) {
    replace(id.name, [&](llvm::IRBuilder<>& builder) -> llvm::Value* {
      return id.thread_param >= 0
                 ? static_cast<llvm::Value*>(thread.getArg(static_cast<unsigned>(id.thread_param)))
                 : block_field(builder, id.block_offset, builder.getInt32Ty());
    });
  }
}

/// So many bytes as one value: an integer, or words and the bytes behind them.
llvm::Type* bytes_type(llvm::IRBuilder<>& builder, std::uint64_t bytes) {
  constexpr std::uint64_t kWord = 8;
  if (bytes <= kWord) {
    return builder.getIntNTy(static_cast<unsigned>(kWord * bytes));
  }
  return llvm::StructType::get(builder.getContext(),
                               {llvm::ArrayType::get(builder.getInt64Ty(), bytes / kWord),
                                llvm::ArrayType::get(builder.getInt8Ty(), bytes % kWord)},
                               /*isPacked=*/true);
}

/// void thread(Block*, x, y, z, void** args): loads the arguments and runs the kernel's body.
llvm::Function* make_thread_function(llvm::Function& kernel, const std::string& name) {
  llvm::Module& module = *kernel.getParent();
  llvm::LLVMContext& context = module.getContext();
  llvm::Type* pointer = llvm::PointerType::get(context, 0);
  llvm::Type* word = llvm::Type::getInt32Ty(context);
  auto* type = llvm::FunctionType::get(llvm::Type::getVoidTy(context),
                                       {pointer, word, word, word, pointer}, false);
  auto* thread = llvm::Function::Create(type, llvm::GlobalValue::ExternalLinkage, name, module);
  thread->addFnAttr(llvm::Attribute::NoUnwind);
  llvm::IRBuilder<> builder(llvm::BasicBlock::Create(context, "entry", thread));
  std::vector<llvm::Value*> arguments;
  for (llvm::Argument& parameter : kernel.args()) {
    const LaunchValue place{LaunchValue::Of::kArgument, parameter.getArgNo()};
    if (!parameter.hasByValAttr()) {
      arguments.push_back(read_launch_value(builder, place, parameter.getType()));
      continue;
    }
    // A struct: a copy of each thread's own.
    llvm::AllocaInst* copy = builder.CreateAlloca(parameter.getParamByValType());
    copy->setAlignment(parameter.getParamAlign().valueOrOne());
    const std::uint64_t bytes =
        module.getDataLayout().getTypeStoreSize(parameter.getParamByValType());
    builder.CreateStore(read_launch_value(builder, place, bytes_type(builder, bytes)), copy);
    arguments.push_back(copy);
  }
  for (llvm::Argument& parameter : kernel.args()) {
    parameter.removeAttr(llvm::Attribute::ByVal);
  }
  llvm::CallInst* call = builder.CreateCall(&kernel, arguments);
  builder.CreateRetVoid();
  inline_with_lines(*call, kernel);
  replace_ids(*thread);
  return thread;
}

/// Also true when a function that could not be inlined asks for its thread's id: only fibers know.
bool needs_fibers(const llvm::Function& function, std::set<const llvm::Function*>& seen) {
  if (!seen.insert(&function).second) {
    return false;
  }
  for (const llvm::Instruction& instruction : llvm::instructions(function)) {
    const auto* call = llvm::dyn_cast<llvm::CallBase>(&instruction);
    const llvm::Function* callee = call == nullptr ? nullptr : call->getCalledFunction();
    if (callee == nullptr) {
      continue;
    }
    const llvm::StringRef name = callee->getName();
    if (name.starts_with("ws_rt_barrier") || name == "ws_rt_warp" || name == "ws_rt_active_mask" ||
        name == "ws_rt_sleep" || name == kLookAgain || name.starts_with("ws_rt_tid_") ||
        needs_fibers(*callee, seen)) {
      return true;
    }
  }
  return false;
}

bool calls_own_functions(const llvm::Function& function) {
  for (const llvm::Instruction& instruction : llvm::instructions(function)) {
    const auto* call = llvm::dyn_cast<llvm::CallBase>(&instruction);
    const llvm::Function* callee = call == nullptr ? nullptr : call->getCalledFunction();
    if (callee != nullptr && !callee->isDeclaration()) {
      return true;
    }
  }
  return false;
}

/// void block(Block*, void** args): for z, for y, for x: the thread's body, x innermost.
llvm::Function* make_block_function(llvm::Function& thread, const std::string& name) {
  llvm::Module& module = *thread.getParent();
  llvm::LLVMContext& context = module.getContext();
  llvm::Type* pointer = llvm::PointerType::get(context, 0);
  auto* type = llvm::FunctionType::get(llvm::Type::getVoidTy(context), {pointer, pointer}, false);
  auto* block = llvm::Function::Create(type, llvm::GlobalValue::ExternalLinkage, name, module);
  block->addFnAttr(llvm::Attribute::NoUnwind);
  llvm::IRBuilder<> builder(llvm::BasicBlock::Create(context, "entry", block));
  ThreadLoops::Id none{};
  ThreadLoops::Id extents{};
  for (unsigned axis = 0; axis < 3; ++axis) {
    none.at(axis) = builder.getInt32(0);
    extents.at(axis) =
        block_field(builder, cpu_abi::kBlockDimOffset + 4 * axis, builder.getInt32Ty());
  }
  ThreadLoops loops;
  const ThreadLoops::Id id = loops.open(builder, none, extents);
  llvm::CallInst* call =
      builder.CreateCall(&thread, {block->getArg(0), id[0], id[1], id[2], block->getArg(1)});
  llvm::MDNode* group = llvm::MDNode::getDistinct(context, {});
  loops.close(builder, group);
  builder.CreateRetVoid();
  inline_with_lines(*call, thread);
  remove_yields(*block);
  put_in_access_group(*block, group);
  return block;
}

/// The functions by which the worker runs a kernel. Counts the instructions of a thread.
RetargetedEntry make_functions(llvm::Function& kernel, std::size_t number, Build build,
                               llvm::TargetMachine& target, SiteTable& sites,
                               std::map<std::string, std::int64_t>& instructions) {
  RetargetedEntry result;
  result.thread_function = "ws_thread_" + std::to_string(number);
  result.shared_bytes = place_shared_variables(*kernel.getParent(), kernel);
  llvm::Function* thread = make_thread_function(kernel, result.thread_function);
  result.calls_functions = calls_own_functions(*thread);
  std::set<const llvm::Function*> seen;
  const bool by_threads = build == Build::kProfile || build == Build::kWatched;
  const bool plain = !by_threads && !needs_fibers(*thread, seen);
  if (build == Build::kFast || (build == Build::kBounds && !plain)) {
    result.cut = cut_into_phases(*thread, number, build, sites, target);
  }
  expand_bounds_checks(*thread);
  count_instructions(*thread, instructions);
  // Threads are interleaved in checked builds only, and run alone where warps may not be aligned.
  if (result.cut && build == Build::kFast && !result.cut->code.aligned) {
    thread->eraseFromParent();
    result.thread_function.clear();
  } else if (result.cut) {
    thread->addFnAttr(llvm::Attribute::Cold);
  } else if (plain) {
    result.block_function = "ws_block_" + std::to_string(number);
    make_block_function(*thread, result.block_function);
  }
  return result;
}

}  // namespace

bool worker_supplies(llvm::StringRef name) {
  static const llvm::StringSet<> supplied = [] {
    llvm::StringSet<> names;
    for (const char* import : cpu_abi::kImportNames) {
      names.insert(import);
    }
    return names;
  }();
  return supplied.contains(name);
}

std::vector<RetargetedEntry> retarget(llvm::Module& module,
                                      const std::vector<LoweredEntry>& entries, Build build,
                                      llvm::TargetMachine& target, SiteTable& sites,
                                      std::vector<std::string>& objects, ProfileMap& profile,
                                      CompileOutcome& outcome) {
  std::vector<std::string> kernels;
  kernels.reserve(entries.size());
  for (const LoweredEntry& entry : entries) {
    kernels.push_back(entry.symbol);
  }
  convert_as_a_gpu(module);
  prepare(module, kernels, build, target);
  const bool lowered = lower_inline_ptx(module, outcome);
  mark_block_scopes(module);
  if (!lowered || !check_supported(module, outcome)) {
    return {};
  }
  if (const std::string name = shared_outside(module, kernels); !name.empty()) {
    outcome.verdict = CompileVerdict::kUnsupported;
    outcome.message = "__shared__ variable `" + name +
                      "` in a recursive function is not supported on the CPU engine";
    return {};
  }
  outcome.image.looks_at_addresses = looks_at_addresses(module);
  if (build == Build::kProfile) {
    simplify_for_profile(module, target);
  }
  number_sites(module, sites);
  if (build == Build::kProfile) {
    profile = insert_profile_calls(module, kernels, sites);
  }
  for (llvm::Function& function : module) {
    if (!function.isDeclaration()) {
      insert_waits(function);
    }
  }
  for (const std::string& kernel : kernels) {
    if (build == Build::kBounds) {
      insert_yields(*module.getFunction(kernel));
    }
  }
  if (build == Build::kWatched) {
    insert_watch(module, sites, objects);
  }
  if (build != Build::kFast) {
    insert_bounds_checks(module, sites, objects);
    for (llvm::Function& function : module) {
      if (std::find(kernels.begin(), kernels.end(), function.getName()) == kernels.end()) {
        expand_bounds_checks(function);
      }
    }
  }
  std::vector<RetargetedEntry> results;
  for (std::size_t i = 0; i < entries.size(); ++i) {
    llvm::Function& kernel = *module.getFunction(entries[i].symbol);
    results.push_back(make_functions(kernel, i, build, target, sites, outcome.instructions));
  }
  for (const std::string& kernel : kernels) {
    if (llvm::Function* function = module.getFunction(kernel)) {
      function->eraseFromParent();
    }
  }
  return results;
}

}  // namespace ws::clang_engine
