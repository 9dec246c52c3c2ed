#include "runtime/compile/clang/supported.h"

#include <algorithm>

#include <llvm/IR/InstIterator.h>
#include <llvm/IR/Instructions.h>

#include "runtime/compile/clang/intrinsics.h"
#include "runtime/compile/clang/launch_values.h"
#include "runtime/compile/clang/sites.h"
#include "runtime/device/cpu/imports.h"

namespace ws::clang_engine {
namespace {

/// A function that the headers call where a kernel uses what the engine lacks.
struct MissingRow {
  const char* name;
  const char* subject;
  const char* hint;
};

constexpr MissingRow kMissing[] = {
    {"ws_rt_surface", "a surface",
     ", and no plan declares one: take the buffer as a pointer, as in `out[y * width + x]`"},
    {"ws_rt_texture_rest", "a cubemap, a gather or a gradient of a texture",
     ": read it by tex1D(), tex2D() or tex3D()"},
    {"ws_rt_split_grid", "a barrier of the grid in two halves",
     ": call `sync()`, which arrives and waits at once"},
};

std::string not_supported(const std::string& subject) {
  return subject + " is not supported on the CPU engine";
}

bool source_may_call(llvm::StringRef name) {
  const auto& names = cpu_abi::kSourceNames;
  return std::any_of(names.begin(), names.end(),
                     [name](const char* known) { return name == known; });
}

/// Says what is wrong with a call; empty when nothing is.
std::string complaint(const llvm::CallBase& call) {
  const llvm::Function* callee = call.getCalledFunction();
  if (callee == nullptr) {
    return not_supported("a call through a function pointer");
  }
  const std::string name = callee->getName().str();
  if (callee->isIntrinsic()) {
    const llvm::Intrinsic::ID id = callee->getIntrinsicID();
    return only_computes(id) || only_marks(id) || accesses_memory(id)
               ? std::string()
               : not_supported("intrinsic `" + name + "`");
  }
  if (callee->getFunctionType() != call.getFunctionType()) {
    return not_supported("a call of `" + name + "` with other types than it was declared with");
  }
  for (const MissingRow& row : kMissing) {
    if (name == row.name) {
      return not_supported(row.subject) + row.hint;
    }
  }
  if (!callee->isDeclaration() || source_may_call(name) || launch_value_of(*callee)) {
    return {};
  }
  return "function `" + (name == "vprintf" ? "printf" : name) +
         "` is declared but not known on the CPU engine";
}

/// An object file that begins a variable or a function at a multiple of so much is mostly padding.
constexpr std::uint64_t kMostAlignment = 65536;

/// Says that an alignment is too large; empty when it is not.
std::string complaint(llvm::MaybeAlign alignment) {
  return alignment && alignment->value() > kMostAlignment
             ? not_supported("an alignment of " + std::to_string(alignment->value()) + " bytes") +
                   "; the largest is " + std::to_string(kMostAlignment)
             : std::string();
}

std::string complaint(const llvm::Instruction& instruction) {
  if (const auto* call = llvm::dyn_cast<llvm::CallBase>(&instruction)) {
    return complaint(*call);
  }
  if (llvm::isa<llvm::IndirectBrInst>(instruction)) {
    return not_supported("a jump to a computed address");
  }
  if (llvm::isa<llvm::VAArgInst>(instruction)) {
    return not_supported("a function with variable arguments");
  }
  const auto* variable = llvm::dyn_cast<llvm::AllocaInst>(&instruction);
  if (variable == nullptr) {
    return {};
  }
  return variable->isStaticAlloca() ? complaint(variable->getAlign())
                                    : not_supported("a local array whose size is not constant");
}

/// The same for all that has a place in the image.
std::string alignment_complaint(const llvm::Module& module) {
  std::string found;
  for (const llvm::GlobalObject& object : module.global_objects()) {
    found = found.empty() ? complaint(object.getAlign()) : found;
  }
  return found;
}

/// A name that belongs to the engine, or "": its functions are the worker's to supply.
std::string taken_name(const llvm::Module& module) {
  for (const llvm::GlobalValue& value : module.global_values()) {
    const llvm::StringRef name = value.getName();
    const bool ours = name.starts_with("ws_rt_") || name.starts_with("ws_thread_") ||
                      name.starts_with("ws_block_") || name.starts_with("ws.launch.");
    if (!value.isDeclaration() && ours) {
      return name.str();
    }
  }
  return {};
}

}  // namespace

void report_at(const llvm::Instruction& at, std::string message, CompileVerdict verdict,
               CompileOutcome& outcome) {
  const Site site = client_place(at.getDebugLoc());
  outcome.verdict = verdict;
  outcome.message = message;
  outcome.diagnostics.insert(outcome.diagnostics.begin(), Diagnostic{.severity = "error",
                                                                     .message = std::move(message),
                                                                     .region = site.region,
                                                                     .line = site.line,
                                                                     .column = site.column,
                                                                     .snippet = {}});
  ++outcome.diagnostics_total;
}

bool check_supported(const llvm::Module& module, CompileOutcome& outcome) {
  if (!module.getModuleInlineAsm().empty()) {
    outcome.verdict = CompileVerdict::kUnsupported;
    outcome.message = "assembly at file scope is not allowed";
    return false;
  }
  if (const std::string name = taken_name(module); !name.empty()) {
    outcome.verdict = CompileVerdict::kUnsupported;
    outcome.message = "the name `" + name + "` belongs to the CPU engine";
    return false;
  }
  if (const std::string message = alignment_complaint(module); !message.empty()) {
    outcome.verdict = CompileVerdict::kUnsupported;
    outcome.message = message;
    return false;
  }
  for (const llvm::Function& function : module) {
    for (const llvm::Instruction& instruction : llvm::instructions(function)) {
      const std::string message = complaint(instruction);
      if (!message.empty()) {
        report_at(instruction, message, CompileVerdict::kUnsupported, outcome);
        return false;
      }
    }
  }
  return true;
}

}  // namespace ws::clang_engine
