#include "runtime/handover/cpp_expression.h"

#include <optional>
#include <utility>
#include <vector>

namespace ws {
namespace {

constexpr const char* kFunctions = R"cpp(
  namespace handover {

  using Int = std::int64_t;

  inline Int floor_divide(Int a, Int b) {
    return a / b - (a % b != 0 && (a < 0) != (b < 0) ? 1 : 0);
  }

  inline Int modulo(Int a, Int b) {
    return a - floor_divide(a, b) * b;
  }

  inline Int cdiv(Int a, Int b) {
    return -floor_divide(-a, b);
  }

  inline Int abs(Int a) {
    return a < 0 ? -a : a;
  }

  inline Int min(Int a) {
    return a;
  }

  inline Int max(Int a) {
    return a;
  }

  template <typename... More>
  Int min(Int a, More... more) {
    const Int b = min(more...);
    return a < b ? a : b;
  }

  template <typename... More>
  Int max(Int a, More... more) {
    const Int b = max(more...);
    return a < b ? b : a;
  }

  inline Int gcd(Int a, Int b) {
    return b == 0 ? abs(a) : gcd(b, a % b);
  }

  inline Int lcm(Int a, Int b) {
    return a == 0 || b == 0 ? 0 : abs(a / gcd(a, b) * b);
  }

  inline Int power(Int a, Int b) {
    Int value = 1;
    while (b-- > 0)
      value *= a;
    return value;
  }

  inline Int log2(Int a) {
    Int bits = -1;
    for (; a > 0; a >>= 1)
      ++bits;
    return bits;
  }

  inline Int pow2ceil(Int a) {
    Int value = 1;
    while (value < a)
      value *= 2;
    return value;
  }

  }  // namespace handover
)cpp";

std::string binary(const std::string& left, const char* op, const std::string& right) {
  return "(" + left + " " + op + " " + right + ")";
}

std::string call(const std::string& function, const std::string& left, const std::string& right) {
  return "handover::" + function + "(" + left + ", " + right + ")";
}

/// Nothing: no operator of two operands.
std::optional<std::string> of_two(ExprOp op, const std::string& a, const std::string& b) {
  switch (op) {
    case ExprOp::kAdd:
      return binary(a, "+", b);
    case ExprOp::kSubtract:
      return binary(a, "-", b);
    case ExprOp::kMultiply:
      return binary(a, "*", b);
    case ExprOp::kFloorDivide:
      return call("floor_divide", a, b);
    case ExprOp::kModulo:
      return call("modulo", a, b);
    case ExprOp::kPower:
      return call("power", a, b);
    case ExprOp::kEqual:
      return binary(a, "==", b);
    case ExprOp::kNotEqual:
      return binary(a, "!=", b);
    case ExprOp::kLess:
      return binary(a, "<", b);
    case ExprOp::kLessEqual:
      return binary(a, "<=", b);
    case ExprOp::kGreater:
      return binary(a, ">", b);
    case ExprOp::kGreaterEqual:
      return binary(a, ">=", b);
    default:
      return std::nullopt;
  }
}

/// Turns the steps of the stack machine back into nested text.
class Writer {
 public:
  Writer(const Expr& expr, const CppNames& names)
      : expr_(expr),
        names_(names) {}

  Result<std::string> write() {
    WS_CHECK(run(0, expr_.steps().size()));
    return pop();
  }

 private:
  std::string pop() {
    std::string top = std::move(stack_.back());
    stack_.pop_back();
    return top;
  }

  /// Writes the steps [from, to), which leave one more text on the stack.
  Status run(std::size_t from, std::size_t to) {
    for (std::size_t at = from; at < to;) {
      WS_TRY(at, step(at));
    }
    return {};
  }

  /// @return The step that comes next.
  Result<std::size_t> step(std::size_t at) {
    const ExprStep& step = expr_.steps()[at];
    const std::size_t target = at + static_cast<std::size_t>(step.value);
    switch (step.op) {
      case ExprOp::kPush:
        stack_.push_back("std::int64_t{" + std::to_string(step.value) + "}");
        break;
      case ExprOp::kName:
        WS_CHECK(name(expr_.names()[static_cast<std::size_t>(step.value)]));
        break;
      case ExprOp::kNegate:
        stack_.push_back("(-" + pop() + ")");
        break;
      case ExprOp::kNot:
        stack_.push_back("std::int64_t{" + pop() + " == 0}");
        break;
      case ExprOp::kCall:
        function(step);
        break;
      case ExprOp::kJumpIfZero:
        return choice(at, target);
      case ExprOp::kAndJump:
      case ExprOp::kOrJump:
        return logical(at, target);
      case ExprOp::kChain:
        return chain(at, target);
      default:
        two(step.op);
    }
    return at + 1;
  }

  Status name(const std::string& word) {
    const auto known = names_.find(word);
    if (known == names_.end()) {
      return fail(ErrorCode::kInvalidArgument,
                  "expression `" + expr_.text() + "`: unknown name `" + word + "`");
    }
    stack_.push_back(known->second);
    return {};
  }

  void two(ExprOp op) {
    const std::string right = pop();
    const std::string left = pop();
    stack_.push_back(of_two(op, left, right).value_or("0"));
  }

  void function(const ExprStep& step) {
    std::string arguments;
    for (std::uint32_t i = 0; i < step.count; ++i) {
      arguments = pop() + (arguments.empty() ? "" : ", ") + arguments;
    }
    const ExprFunction& called = expr_functions()[static_cast<std::size_t>(step.value)];
    stack_.push_back("handover::" + std::string(called.name) + "(" + arguments + ")");
  }

  /// `a if c else b`: c, a jump to b, a, a jump to the end, b.
  Result<std::size_t> choice(std::size_t at, std::size_t otherwise) {
    const std::string condition = pop();
    const ExprStep& leave = expr_.steps()[otherwise - 1];
    const std::size_t end = otherwise - 1 + static_cast<std::size_t>(leave.value);
    WS_CHECK(run(at + 1, otherwise - 1));
    const std::string when_true = pop();
    WS_CHECK(run(otherwise, end));
    const std::string when_false = pop();
    stack_.push_back("(" + condition + " != 0 ? " + when_true + " : " + when_false + ")");
    return end;
  }

  /// `a and b`, `a or b`: the value is the operand that decides.
  Result<std::size_t> logical(std::size_t at, std::size_t end) {
    const bool both = expr_.steps()[at].op == ExprOp::kAndJump;
    const std::string left = pop();
    WS_CHECK(run(at + 1, end));
    const std::string right = pop();
    stack_.push_back("(" + left + " != 0 ? " + (both ? right : left) + " : " +
                     (both ? "std::int64_t{0}" : right) + ")");
    return end;
  }

  /// `a < b < c`: the right operand stays for the comparison that follows.
  Result<std::size_t> chain(std::size_t at, std::size_t end) {
    const std::string right = pop();
    const std::string left = pop();
    const std::string first = of_two(expr_.steps()[at].compare, left, right).value_or("0");
    stack_.push_back(right);
    WS_CHECK(run(at + 1, end));
    stack_.push_back("std::int64_t{" + first + " && " + pop() + "}");
    return end;
  }

  const Expr& expr_;
  const CppNames& names_;
  std::vector<std::string> stack_;
};

}  // namespace

std::string cpp_expression_functions() {
  return kFunctions;
}

Result<std::string> cpp_expression(const std::string& text, const CppNames& names) {
  WS_TRY(const Expr expr, parse_expr(text));
  return Writer(expr, names).write();
}

Result<std::vector<std::string>> cpp_expressions(const std::vector<std::string>& texts,
                                                 const CppNames& names) {
  std::vector<std::string> all;
  for (const std::string& text : texts) {
    WS_TRY(std::string one, cpp_expression(text, names));
    all.push_back(std::move(one));
  }
  return all;
}

std::string cpp_list(const std::vector<std::string>& texts) {
  std::string all;
  for (const std::string& text : texts) {
    all += (all.empty() ? "" : ", ") + text;
  }
  return all;
}

std::string cpp_product(const std::vector<std::string>& factors) {
  std::string all = "std::int64_t{1}";
  for (const std::string& factor : factors) {
    all += " * " + factor;
  }
  return "(" + all + ")";
}

}  // namespace ws
