#include "runtime/compile/clang/ptx/lower.h"

#include <vector>

#include <llvm/IR/InstIterator.h>
#include <llvm/Transforms/Utils/BasicBlockUtils.h>

#include "runtime/compile/clang/ptx/flow.h"
#include "runtime/compile/clang/ptx/parser.h"
#include "runtime/compile/clang/ptx/table.h"
#include "runtime/compile/clang/scopes.h"
#include "runtime/compile/clang/supported.h"

namespace ws::clang_engine {
namespace {

/// True where the guard lets the statement be done; null: always.
llvm::Value* condition_of(ptx::Machine& machine, const ptx::Statement& statement) {
  if (!statement.guard) {
    return nullptr;
  }
  llvm::Value* condition = machine.read(statement.guard->predicate, ptx::Type::kPred);
  return statement.guard->negated ? machine.builder().CreateNot(condition) : condition;
}

void lower_jump(ptx::Machine& machine, ptx::Flow& flow, const ptx::Statement& statement) {
  const ptx::Operand& target = statement.operands.front();
  if (target.kind != ptx::Operand::Kind::kLabel) {
    return machine.complain("there is no label `" + target.name + "`", /*syntax=*/true);
  }
  flow.jump(target.index, condition_of(machine, statement));
}

void lower_statement(ptx::Machine& machine, ptx::Flow& flow, const ptx::Statement& statement,
                     ptx::Complaint& complaint) {
  const auto instruction = ptx::look_up(statement, complaint);
  if (!instruction) {
    return;
  }
  const auto make = [&] {
    ptx::Step step(machine, *instruction);
    const auto scope = [&](std::uint32_t begins) {
      if (step.has(ptx::Modifier::kCta)) {
        machine.call(kBlockScope, step.b.getVoidTy(), {step.b.getInt32(begins)});
      }
    };
    scope(1);
    instruction->row->emit(step);
    scope(0);
  };
  if (statement.jumps()) {
    lower_jump(machine, flow, statement);
  } else if (statement.ends()) {
    flow.leave(condition_of(machine, statement));
  } else if (llvm::Value* condition = condition_of(machine, statement)) {
    machine.when(condition, make);
  } else {
    make();
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
  ptx::Flow flow(machine, call, *program);
  for (std::size_t i = 0; i < program->statements.size() && complaint.message.empty(); ++i) {
    flow.reach(i);
    lower_statement(machine, flow, program->statements[i], complaint);
  }
  flow.reach(program->statements.size());
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
  flow.finish();
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
  for (llvm::Function& function : module) {
    if (!calls.empty() && !function.isDeclaration()) {
      llvm::EliminateUnreachableBlocks(function);  // Those behind a jump without a label.
    }
  }
  return true;
}

}  // namespace ws::clang_engine
