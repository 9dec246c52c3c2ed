#include "runtime/kernel/expr/expr.h"

#include <algorithm>
#include <optional>

#include "runtime/base/nearest.h"
#include "runtime/kernel/expr/expr_arith.h"

namespace ws {
namespace {

using Value = std::int64_t;
using Computed = std::optional<Value>;

tl::unexpected<Error> unknown_name(std::string_view text, std::size_t column,
                                   const std::string& name, const std::vector<std::string>& known) {
  return expr_error(text, column, "unknown name `" + name + "`", suggest(name, known));
}

std::vector<std::string> keys_of(const Bindings& bindings) {
  std::vector<std::string> keys;
  for (const auto& [key, value] : bindings) {
    keys.push_back(key);
  }
  return keys;
}

/// The state of one evaluation: the stack and the next step.
class Machine {
 public:
  Machine(const Expr& expr, std::span<const ExprStep> steps, const Bindings& bindings)
      : expr_(expr),
        steps_(steps),
        bindings_(bindings) {}

  Result<Value> run() {
    while (at_ < steps_.size()) {
      const ExprStep& step = steps_[at_];
      ++at_;
      std::string why;
      if (!execute(step, why)) {
        return step.op == ExprOp::kName
                   ? unknown_name(expr_.text(), step.column, why, keys_of(bindings_))
                   : expr_error(expr_.text(), step.column, why);
      }
    }
    return stack_.back();
  }

 private:
  Value pop() {
    const Value value = stack_.back();
    stack_.pop_back();
    return value;
  }

  bool push(Computed value) {
    if (value) {
      stack_.push_back(*value);
    }
    return value.has_value();
  }

  bool jump(const ExprStep& step) {
    at_ += static_cast<std::size_t>(step.value) - 1;
    return true;
  }

  bool jump_or_pop(const ExprStep& step, bool taken) {
    if (taken) {
      return jump(step);
    }
    stack_.pop_back();
    return true;
  }

  bool chain(const ExprStep& step) {
    const Value right = pop();
    const Value left = pop();
    const bool holds = expr_compare(step.compare, left, right);
    stack_.push_back(holds ? right : 0);
    return holds ? true : jump(step);
  }

  bool load(const ExprStep& step, std::string& why) {
    const std::string& name = expr_.names()[static_cast<std::size_t>(step.value)];
    const auto found = bindings_.find(name);
    if (found == bindings_.end()) {
      why = name;
      return false;
    }
    return push(found->second);
  }

  bool call(const ExprStep& step, std::string& why) {
    const std::span<const Value> arguments(stack_.data() + (stack_.size() - step.count),
                                           step.count);
    const Computed result = expr_call(static_cast<std::size_t>(step.value), arguments, why);
    stack_.resize(stack_.size() - step.count);
    return push(result);
  }

  bool execute(const ExprStep& step, std::string& why) {
    switch (step.op) {
      case ExprOp::kPush:
        return push(step.value);
      case ExprOp::kName:
        return load(step, why);
      case ExprOp::kNegate:
        return push(expr_binary(ExprOp::kSubtract, 0, pop(), why));
      case ExprOp::kNot:
        return push(pop() == 0 ? 1 : 0);
      case ExprOp::kCall:
        return call(step, why);
      case ExprOp::kJump:
        return jump(step);
      case ExprOp::kJumpIfZero:
        return pop() == 0 ? jump(step) : true;
      case ExprOp::kAndJump:
        return jump_or_pop(step, stack_.back() == 0);
      case ExprOp::kOrJump:
        return jump_or_pop(step, stack_.back() != 0);
      case ExprOp::kChain:
        return chain(step);
      default: {
        const Value right = pop();
        const Value left = pop();
        return push(expr_binary(step.op, left, right, why));
      }
    }
  }

  const Expr& expr_;
  std::span<const ExprStep> steps_;
  const Bindings& bindings_;
  std::vector<Value> stack_;
  std::size_t at_ = 0;
};

}  // namespace

Result<std::int64_t> Expr::eval(const Bindings& bindings) const {
  return Machine(*this, steps_, bindings).run();
}

Status Expr::check_names(const std::vector<std::string>& known) const {
  for (const ExprStep& step : steps_) {
    if (step.op != ExprOp::kName) {
      continue;
    }
    const std::string& name = names_[static_cast<std::size_t>(step.value)];
    if (std::find(known.begin(), known.end(), name) == known.end()) {
      return unknown_name(text_, step.column, name, known);
    }
  }
  return {};
}

Result<std::int64_t> eval_expr(std::string_view text, const Bindings& bindings) {
  WS_TRY(const Expr expr, parse_expr(text));
  return expr.eval(bindings);
}

tl::unexpected<Error> expr_error(std::string_view text, std::size_t column, const std::string& what,
                                 std::string hint) {
  const std::string shown(text);
  hint += (hint.empty() ? "here:\n  " : "\n  ") + shown + "\n  " +
          std::string(column > 0 ? column - 1 : 0, ' ') + "^";
  return fail(ErrorCode::kInvalidArgument,
              "expression `" + shown + "`: " + what + " at column " + std::to_string(column),
              std::move(hint));
}

}  // namespace ws
