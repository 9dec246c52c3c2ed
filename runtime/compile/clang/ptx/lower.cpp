#include "runtime/compile/clang/ptx/lower.h"

#include <vector>

#include <llvm/IR/InstIterator.h>

#include "runtime/compile/clang/ptx/parser.h"
#include "runtime/compile/clang/ptx/table.h"
#include "runtime/compile/clang/supported.h"

namespace ws::clang_engine {
namespace {

void lower_statement(ptx::Machine& machine, const ptx::Statement& statement,
                     ptx::Complaint& complaint) {
  const auto instruction = ptx::look_up(statement, complaint);
  if (!instruction) {
    return;
  }
  const auto make = [&] {
    ptx::Step step(machine, *instruction);
    instruction->row->emit(step);
  };
  if (!statement.guard) {
    make();
  } else {
    llvm::Value* condition = machine.read(statement.guard->predicate, ptx::Type::kPred);
    machine.when(statement.guard->negated ? machine.builder().CreateNot(condition) : condition,
                 make);
  }
  if (!complaint.message.empty()) {
    complaint.message = "`" + statement.opcode + "`: " + complaint.message;
    complaint.line = statement.line;
  }
}

void lower_call(llvm::CallInst& call, ptx::Complaint& complaint) {
  const auto* text = llvm::cast<llvm::InlineAsm>(call.getCalledOperand());
  const auto program = ptx::parse(text->getAsmString(), complaint);
  if (!program) {
    return;
  }
  ptx::Machine machine(call, *program, complaint);
  for (const ptx::Statement& statement : program->statements) {
    if (complaint.message.empty()) {
      lower_statement(machine, statement, complaint);
    }
  }
  if (program->statements.empty()) {
    // `asm volatile("" ::: "memory")` keeps the compiler from moving accesses, and nothing else.
    machine.builder().CreateFence(llvm::AtomicOrdering::SequentiallyConsistent,
                                  llvm::SyncScope::SingleThread);
  }
  if (!complaint.message.empty()) {
    return;
  }
  if (llvm::Value* result = machine.result()) {
    call.replaceAllUsesWith(result);
  }
  call.eraseFromParent();
}

}  // namespace

bool lower_inline_ptx(llvm::Module& module, CompileOutcome& outcome) {
  std::vector<llvm::CallBase*> calls;
  for (llvm::Function& function : module) {
    for (llvm::Instruction& instruction : llvm::instructions(function)) {
      auto* call = llvm::dyn_cast<llvm::CallBase>(&instruction);
      if (call != nullptr && call->isInlineAsm()) {
        calls.push_back(call);
      }
    }
  }
  for (llvm::CallBase* call : calls) {
    ptx::Complaint complaint;
    if (auto* plain = llvm::dyn_cast<llvm::CallInst>(call)) {
      lower_call(*plain, complaint);
    } else {
      complaint.message = "`asm goto` is not supported on the CPU engine";
    }
    if (!complaint.message.empty()) {
      const std::string line =
          complaint.line > 1 ? ", line " + std::to_string(complaint.line) : std::string();
      report_at(*call, "inline PTX" + line + ": " + complaint.message,
                complaint.syntax ? CompileVerdict::kCompileError : CompileVerdict::kUnsupported,
                outcome);
      return false;
    }
  }
  return true;
}

}  // namespace ws::clang_engine
