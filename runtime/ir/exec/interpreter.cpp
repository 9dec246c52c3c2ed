// Statements.
#include "runtime/ir/exec/interpreter.h"

#include <algorithm>

#include "runtime/ir/check/infer.h"
#include "runtime/ir/exec/tile_ops.h"

namespace ws::ir {
namespace {

/// `for c in range(2)`: always as many rounds, whatever the sizes are.
bool is_constant_range(const Program& program, const Stmt& stmt) {
  const Expr& over = program.expr(stmt.value);
  return stmt.kind == StmtKind::kFor && over.kind == ExprKind::kCall &&
         std::all_of(over.kids.begin() + 1, over.kids.end(),
                     [&](ExprId kid) { return program.expr(kid).kind == ExprKind::kInteger; });
}

}  // namespace

Task<Flow> Interpreter::run(const Method& method, Names given) {
  locals_.clear();
  for (const Param& param : method.params) {
    const auto found = given.find(param.name);
    Result<Value> value =
        found != given.end() ? Result<Value>(found->second) : eval(param.default_value);
    if (!value) {
      co_return fail_at(value.error());
    }
    locals_[param.name] = *std::move(value);
  }
  const Flow flow = co_await block(method.body);
  co_return flow;
}

Status Interpreter::constants(const std::vector<StmtId>& body) {
  for (const StmtId id : body) {
    WS_CHECK(execute(program_.stmt(id)));
  }
  return {};
}

Flow Interpreter::fail_at(const Error& error) {
  const SourcePlace other =
      failure_ == FindingKind::kUndeterminedValue ? machine_.undetermined_at : SourcePlace();
  const FindingKind kind =
      error.code == ErrorCode::kUnsupported ? FindingKind::kExecutorLimit : failure_;
  machine_.report(kind, actor_, place_, other, "", error.message,
                  error.hint.empty() ? "check the numbers that lead here: blockIdx, loops, what "
                                       "was read from memory"
                                     : error.hint);
  return Flow::kStop;
}

Status Interpreter::check_determined(const Value& value, const std::string& what) {
  // Where something else is wrong already, this follows from it.
  if (value.is_determined() || !machine_.grid().findings.rows().empty()) {
    return {};
  }
  if (is_too_large(value.number)) {
    failure_ = FindingKind::kExecutorLimit;
    return bad(what + kDependsOnTooLarge, kSmallerNumbers);
  }
  failure_ = FindingKind::kUndeterminedValue;
  return bad(what + " depends on an undetermined value",
             "load(..., pad=\"zero\"), or where(mask, x, 0) before it is used");
}

Result<bool> Interpreter::holds(const Value& condition) {
  WS_CHECK(check_determined(condition, "the condition"));
  return truth_of(condition);
}

bool Interpreter::spend(const Stmt& stmt) {
  if (live_elements() > machine_.grid().max_live) {
    failure_ = FindingKind::kExecutorLimit;
    fail_at(Error{ErrorCode::kInvalidArgument,
                  "tiles and buffers hold " + std::to_string(live_elements()) +
                      " elements at once: at most " + std::to_string(machine_.grid().max_live) +
                      " are allowed",
                  "work on smaller tiles, or on fewer at a time", ""});
    return false;
  }
  if (--machine_.grid().steps_left >= 0) {
    return true;
  }
  const SourcePlace loop = loops_.empty() ? stmt.place : loops_.back();
  machine_.report(FindingKind::kStepBudget, actor_, loop, {}, "",
                  std::string("the program runs more statements than allowed") +
                      (loops_.empty() ? "" : ", most likely in this loop"),
                  "run it on smaller shapes, or end the loop");
  return false;
}

const Method* Interpreter::own_method(ExprId id) const {
  if (id == kNoExpr || program_.expr(id).kind != ExprKind::kCall) {
    return nullptr;
  }
  const Expr& callee = program_.expr(program_.expr(id).kids[0]);
  const bool on_self = callee.kind == ExprKind::kAttribute &&
                       program_.expr(callee.kids[0]).text == "self" &&
                       !find_op("self." + callee.text);
  return on_self ? program_.find_method(callee.text) : nullptr;
}

Task<Flow> Interpreter::block(const std::vector<StmtId>& body) {
  for (const StmtId id : body) {
    const Stmt& stmt = program_.stmt(id);
    place_ = stmt.place;
    Flow flow = Flow::kNext;
    if (!spend(stmt)) {
      co_return Flow::kStop;
    }
    if (stmt.kind == StmtKind::kIf) {
      const Result<const Arm*> arm = choose(stmt);
      if (!arm) {
        co_return fail_at(arm.error());
      }
      if (*arm != nullptr) {
        flow = co_await block((*arm)->body);
      }
    } else if (stmt.kind == StmtKind::kFor || stmt.kind == StmtKind::kWhile) {
      flow = co_await loop(stmt);
    } else if (const Method* method = own_method(stmt.value)) {
      flow = co_await call_method(*method, program_.expr(stmt.value));
      if (flow == Flow::kNext) {
        flow = simple(stmt);
      }
    } else {
      flow = simple(stmt);
    }
    while (actor_.wait && flow != Flow::kStop) {
      co_await Pause{};
    }
    if (yield_ && flow != Flow::kStop) {
      yield_ = false;
      co_await Pause{};
    }
    if (flow != Flow::kNext) {
      co_return flow;
    }
  }
  co_return Flow::kNext;
}

Result<const Arm*> Interpreter::choose(const Stmt& stmt) {
  for (const Arm& arm : stmt.arms) {
    if (arm.condition == kNoExpr) {
      return &arm;
    }
    WS_TRY(const Value condition, eval(arm.condition));
    WS_TRY(const bool taken, holds(condition));
    if (taken) {
      return &arm;
    }
  }
  return nullptr;
}

// First, last and step; of a `while`, what its condition says.
Result<std::vector<Value>> Interpreter::loop_numbers(const Stmt& stmt) {
  WS_TRY(const Value over, eval(stmt.value));
  if (stmt.kind == StmtKind::kWhile) {
    WS_TRY(const bool goes_on, holds(over));
    return std::vector<Value>{Value::truth(goes_on)};
  }
  if (over.kind != Kind::kRange) {
    return bad("a loop goes through range(...), got " + describe(type_of(over)));
  }
  return over.items;
}

Task<Flow> Interpreter::loop(const Stmt& stmt) {
  loops_.push_back(stmt.place);
  Flow flow = Flow::kNext;
  Result<std::vector<Value>> numbers = loop_numbers(stmt);
  std::int64_t at = numbers && numbers->size() == 3 ? (*numbers)[0].integer : 0;
  std::int64_t rounds = 0;
  while (numbers && flow == Flow::kNext) {
    if (stmt.kind == StmtKind::kFor) {
      const std::int64_t last = (*numbers)[1].integer;
      const std::int64_t step = (*numbers)[2].integer;
      if (step > 0 ? at >= last : at <= last) {
        break;
      }
      locals_[program_.expr(stmt.targets.front()).text] = Value::of(at);
      if (__builtin_add_overflow(at, step, &at)) {
        at = last;
      }
    } else if ((*numbers)[0].integer == 0) {
      break;
    }
    ++rounds;
    // An empty body costs too: else nothing would end a loop around nothing.
    flow = spend(stmt) ? co_await block(stmt.arms.front().body) : Flow::kStop;
    flow = flow == Flow::kContinue ? Flow::kNext : flow;
    if (stmt.kind == StmtKind::kWhile && flow == Flow::kNext) {
      numbers = loop_numbers(stmt);
    }
  }
  loops_.pop_back();
  if (!is_constant_range(program_, stmt)) {
    std::int64_t& most = machine_.grid().rounds[stmt.place.line];
    most = std::max(most, rounds);
  }
  if (!numbers) {
    co_return fail_at(numbers.error());
  }
  co_return flow == Flow::kBreak ? Flow::kNext : flow;
}

Result<Names> Interpreter::bind_parameters(const Method& method, const Expr& call) {
  Names names;
  const std::size_t positional = call.kids.size() - 1 - call.keywords.size();
  for (std::size_t i = 1; i < call.kids.size(); ++i) {
    WS_TRY(Value value, eval(call.kids[i]));
    const std::string& name =
        i <= positional ? method.params[i - 1].name : call.keywords[i - 1 - positional];
    names[name] = std::move(value);
  }
  for (const Param& param : method.params) {
    if (names.count(param.name) == 0) {
      WS_TRY(names[param.name], eval(param.default_value));
    }
  }
  return names;
}

Task<Flow> Interpreter::call_method(const Method& method, const Expr& call) {
  Result<Names> inner = bind_parameters(method, call);
  if (!inner) {
    co_return fail_at(inner.error());
  }
  Names outer = std::exchange(locals_, *std::move(inner));
  returned_ = Value();
  const Flow flow = co_await block(method.body);
  locals_ = std::move(outer);
  co_return flow == Flow::kStop ? flow : Flow::kNext;
}

Flow Interpreter::simple(const Stmt& stmt) {
  if (stmt.kind == StmtKind::kBreak || stmt.kind == StmtKind::kContinue) {
    return stmt.kind == StmtKind::kBreak ? Flow::kBreak : Flow::kContinue;
  }
  if (const Status status = execute(stmt); !status) {
    return fail_at(status.error());
  }
  return stmt.kind == StmtKind::kReturn ? Flow::kReturn : Flow::kNext;
}

Status Interpreter::execute(const Stmt& stmt) {
  if (stmt.kind == StmtKind::kAugment) {
    return augment(stmt);
  }
  if (stmt.kind == StmtKind::kPass || stmt.kind == StmtKind::kImport) {
    return {};
  }
  // An own method was called already: what it returned is the value.
  Result<Value> value =
      own_method(stmt.value) != nullptr ? Result<Value>(returned_) : eval(stmt.value);
  if (!value) {
    return fail(value.error());
  }
  for (const ExprId target : stmt.targets) {
    WS_CHECK(assign(target, *value));
  }
  if (stmt.kind == StmtKind::kReturn) {
    returned_ = *std::move(value);
  }
  return {};
}

}  // namespace ws::ir
