#include "runtime/handover/cpp_expr.h"

#include <array>
#include <cstddef>
#include <utility>
#include <vector>

#include "runtime/kernel/expr/expr.h"

namespace ws {
namespace {

/// The functions in the order of expr_functions(), by their names in text/numbers.cuh.
constexpr std::array<const char*, 8> kCppFunctions = {"cdiv",       "least", "most", "magnitude",
                                                      "log2_floor", "gcd",   "lcm",  "pow2ceil"};

const char* symbol_of(ExprOp op) {
  switch (op) {
    case ExprOp::kAdd:
      return " + ";
    case ExprOp::kSubtract:
      return " - ";
    case ExprOp::kMultiply:
      return " * ";
    case ExprOp::kEqual:
      return " == ";
    case ExprOp::kNotEqual:
      return " != ";
    case ExprOp::kLess:
      return " < ";
    case ExprOp::kLessEqual:
      return " <= ";
    case ExprOp::kGreater:
      return " > ";
    default:
      return " >= ";
  }
}

/// Reads the steps of the stack machine as the expressions that they came from. A jump is the
/// beginning of a part that is evaluated only sometimes: that part is translated by itself.
class Translation {
 public:
  explicit Translation(const Expr& expr)
      : expr_(expr) {}

  std::string whole() { return part(0, expr_.steps().size(), {}); }

 private:
  using Stack = std::vector<std::string>;

  static std::string pop(Stack& stack) {
    std::string top = std::move(stack.back());
    stack.pop_back();
    return top;
  }

  /// The value that steps `from` to `to` leave. @param stack  What stands on the stack before.
  std::string part(std::size_t from, std::size_t to, Stack stack) {
    for (std::size_t i = from; i < to;) {
      i = jumps(expr_.steps()[i].op) ? branch(i, stack) : plain(i, stack);
    }
    return pop(stack);
  }

  static bool jumps(ExprOp op) { return op >= ExprOp::kJump; }

  /// @return The step after those that were translated.
  std::size_t plain(std::size_t at, Stack& stack) {
    const ExprStep& step = expr_.steps()[at];
    if (step.op == ExprOp::kPush) {
      stack.push_back(std::to_string(step.value) + "_i");
    } else if (step.op == ExprOp::kName) {
      stack.push_back(cpp_variable(expr_.names()[static_cast<std::size_t>(step.value)]));
    } else if (step.op == ExprOp::kNegate || step.op == ExprOp::kNot) {
      stack.back() = (step.op == ExprOp::kNot ? "(!" : "(-") + stack.back() + ")";
    } else if (step.op == ExprOp::kCall) {
      call(kCppFunctions.at(static_cast<std::size_t>(step.value)), step.count, stack);
    } else if (step.op == ExprOp::kFloorDivide) {
      call("floordiv", 2, stack);
    } else if (step.op == ExprOp::kModulo) {
      call("mod", 2, stack);
    } else if (step.op == ExprOp::kPower) {
      call("power", 2, stack);
    } else {
      const std::string right = pop(stack);
      stack.back() = "(" + stack.back() + symbol_of(step.op) + right + ")";
    }
    return at + 1;
  }

  static void call(const char* function, std::size_t count, Stack& stack) {
    std::string text = std::string(function) + "(";
    for (std::size_t i = stack.size() - count; i < stack.size(); ++i) {
      text += (text.ends_with('(') ? "" : ", ") + stack[i];
    }
    stack.resize(stack.size() - count);
    stack.push_back(text + ")");
  }

  std::size_t branch(std::size_t at, Stack& stack) {
    const ExprStep& step = expr_.steps()[at];
    const std::size_t target = at + static_cast<std::size_t>(step.value);
    if (step.op == ExprOp::kJumpIfZero) {
      // The step before the target jumps over the other choice.
      const std::size_t end =
          target - 1 + static_cast<std::size_t>(expr_.steps()[target - 1].value);
      stack.back() = "(" + stack.back() + " ? " + part(at + 1, target - 1, {}) + " : " +
                     part(target, end, {}) + ")";
      return end;
    }
    if (step.op == ExprOp::kAndJump) {
      stack.back() = "(" + stack.back() + " ? " + part(at + 1, target, {}) + " : 0_i)";
    } else if (step.op == ExprOp::kOrJump) {
      stack.back() =
          "either(" + stack.back() + ", [&]() -> Int { return " + part(at + 1, target, {}) + "; })";
    } else {  // kChain
      const std::string right = pop(stack);
      const std::string middle = "c_" + std::to_string(++chains_);
      stack.back() = "[&]() -> Int { const Int " + middle + " = " + right + "; return (" +
                     stack.back() + symbol_of(step.compare) + middle + ") ? " +
                     part(at + 1, target, {middle}) + " : 0_i; }()";
    }
    return target;
  }

  const Expr& expr_;
  int chains_ = 0;
};

}  // namespace

std::string cpp_variable(const std::string& name) {
  return "v_" + name;
}

std::string cpp_buffer(const std::string& name) {
  return "b_" + name;
}

std::string cpp_map(const std::string& name) {
  return "m_" + name;
}

Result<std::string> cpp_expr(const std::string& text) {
  WS_TRY(const Expr expr, parse_expr(text));
  return Translation(expr).whole();
}

}  // namespace ws
