// The one small language for sizes, grids and constraints: Python's integer syntax.
//
//   + - * // % **   == != < <= > >= (chained)   and or not   a if c else b
//   cdiv min max abs log2 gcd lcm pow2ceil      names, decimal and 0x integers
//
// 64-bit and checked: overflow and division by zero are errors. `//` and `%` floor, as in Python;
// comparisons give 1 or 0. Parsed once into steps for a small stack machine, evaluated many times:
// nothing recurses while evaluating.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "runtime/base/result.h"
#include "runtime/kernel/problem.h"

namespace ws {

/// Longest expression in characters, and deepest nesting of parentheses and prefix operators.
inline constexpr std::size_t kMaxExprLength = 4096;
inline constexpr int kMaxExprDepth = 64;

enum class ExprOp : std::uint8_t {
  kPush,  // value
  kName,  // index into names
  kNegate,
  kNot,
  kAdd,
  kSubtract,
  kMultiply,
  kFloorDivide,
  kModulo,
  kPower,
  kEqual,
  kNotEqual,
  kLess,
  kLessEqual,
  kGreater,
  kGreaterEqual,
  kCall,        // index of the function; `count` arguments
  kJump,        // by `value` steps
  kJumpIfZero,  // pops
  kAndJump,     // jumps and keeps a zero, else pops
  kOrJump,      // jumps and keeps a non-zero, else pops
  kChain,       // compares as `compare`: true leaves the right operand, false leaves 0 and jumps
};

struct ExprStep {
  ExprOp op = ExprOp::kPush;
  ExprOp compare = ExprOp::kEqual;  ///< kChain only.
  std::uint32_t count = 0;          ///< kCall only.
  std::uint32_t column = 1;         ///< 1-based place in the text.
  std::int64_t value = 0;
};

/// A parsed expression. Immutable; any thread.
class Expr {
 public:
  Expr() = default;

  Expr(std::string text, std::vector<std::string> names, std::vector<ExprStep> steps)
      : text_(std::move(text)),
        names_(std::move(names)),
        steps_(std::move(steps)) {}

  /// @errors kInvalidArgument: unknown name, overflow, division by zero, a bad argument;
  /// "expression
  ///         `cdiv(n, 0)`: division by zero at column 1", with the text and a caret in the hint.
  [[nodiscard]] Result<std::int64_t> eval(const Bindings& bindings) const;

  /// @errors kInvalidArgument: a name that is not in `known`, as eval would say it.
  [[nodiscard]] Status check_names(const std::vector<std::string>& known) const;

  [[nodiscard]] const std::string& text() const { return text_; }

  /// Distinct names, in order of first use.
  [[nodiscard]] const std::vector<std::string>& names() const { return names_; }

  /// The program of the stack machine, for those who write it in another language.
  [[nodiscard]] const std::vector<ExprStep>& steps() const { return steps_; }

 private:
  std::string text_;
  std::vector<std::string> names_;
  std::vector<ExprStep> steps_;
};

/// @errors kInvalidArgument, as Expr::eval: a syntax error, too long, nested too deeply.
Result<Expr> parse_expr(std::string_view text);

/// Parses and evaluates once.
Result<std::int64_t> eval_expr(std::string_view text, const Bindings& bindings);

/// True for words that cannot be names: `if`, `and`, `cdiv`, ...
bool is_reserved_word(std::string_view word);

/// [A-Za-z_][A-Za-z0-9_]{0,63} and not reserved.
bool is_identifier(std::string_view word);

/// The error of every stage: names the expression, what is wrong and the column, and points at it.
tl::unexpected<Error> expr_error(std::string_view text, std::size_t column, const std::string& what,
                                 std::string hint = {});

/// The functions of the language: name, fewest and most arguments. The index is ExprStep::value.
struct ExprFunction {
  std::string_view name;
  std::uint32_t least;
  std::uint32_t most;
};

std::span<const ExprFunction> expr_functions();

}  // namespace ws
