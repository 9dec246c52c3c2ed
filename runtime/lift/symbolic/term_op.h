// The operations of terms: operators and functions of CuIR, and those that only the lifter knows.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "runtime/ir/syntax/ops.h"
#include "runtime/lift/tree/operators.h"

namespace ws::lift {

enum class OwnOp : std::uint8_t {
  kPackedPair,       ///< Two numbers rounded to halves in one register, the lower one first.
  kBits,             ///< Elements side by side, the first one lowest, that are only copied.
  kMatrixProduct,    ///< One of a thread's sums of a product by its warp (matrices.h).
  kFragmentProduct,  ///< The same of a product of fragments, by wmma.
};

/// One operation; equal where it is the same. A fresh one is none.
class TermOp {
 public:
  constexpr TermOp() = default;

  // NOLINTBEGIN(google-explicit-constructor): an operation is given as any of the three.
  constexpr TermOp(ir::Operator op)
      : code_(kOperators | static_cast<std::uint16_t>(op)) {}

  constexpr TermOp(ir::Op op)
      : code_(kFunctions | static_cast<std::uint16_t>(op)) {}

  constexpr TermOp(OwnOp op)
      : code_(kOwn | static_cast<std::uint16_t>(op)) {}

  // NOLINTEND(google-explicit-constructor)

  friend constexpr bool operator==(TermOp, TermOp) = default;

  /// Another number for each operation.
  [[nodiscard]] constexpr std::uint16_t code() const { return code_; }

  /// A function of CuIR, written `name(a, b)`; else an operator.
  [[nodiscard]] constexpr bool is_function() const { return (code_ & kKinds) == kFunctions; }

  /// The function of CuIR. @pre is_function()
  [[nodiscard]] constexpr ir::Op function() const { return static_cast<ir::Op>(code_ & 0xffU); }

  /// The operator; nothing: it is a function, or the lifter's own.
  [[nodiscard]] constexpr std::optional<ir::Operator> infix() const {
    return (code_ & kKinds) == kOperators ? std::optional(static_cast<ir::Operator>(code_ & 0xffU))
                                          : std::nullopt;
  }

  /// As CuIR writes it: "+", "maximum". Empty for the lifter's own.
  [[nodiscard]] std::string_view text() const;

 private:
  static constexpr std::uint16_t kOperators = 0x100;
  static constexpr std::uint16_t kFunctions = 0x200;
  static constexpr std::uint16_t kOwn = 0x300;
  static constexpr std::uint16_t kKinds = 0xff00;

  std::uint16_t code_ = 0;
};

/// Sums, maxima and minima: the operations that may be taken over many operands in any order (up to
/// rounding).
constexpr bool is_associative(TermOp op) {
  return op == ir::Operator::kAdd || op == ir::Op::kMaximum || op == ir::Op::kMinimum;
}

/// `<`, `<=`, `>`, `>=`.
constexpr bool is_ordering(TermOp op) {
  return op == ir::Operator::kLess || op == ir::Operator::kLessEqual ||
         op == ir::Operator::kGreater || op == ir::Operator::kGreaterEqual;
}

/// `>` or `>=`.
constexpr bool is_turned(TermOp op) {
  return op == ir::Operator::kGreater || op == ir::Operator::kGreaterEqual;
}

/// `<=` or `>=`.
constexpr bool holds_for_equal(TermOp op) {
  return op == ir::Operator::kLessEqual || op == ir::Operator::kGreaterEqual;
}

/// The comparison that holds where this one does not; nothing: it is none.
std::optional<TermOp> negation_of(TermOp comparison);

/// The operation of an operator of C between two values. Of integers, `/` is kDivide and rounds
/// towards zero. None for what joins no two values (`,`, `++`).
TermOp term_op_of(COperator op);

/// By how CuIR writes it: "+", "maximum". Nothing: it has no such binary operator or function.
std::optional<TermOp> find_term_op(std::string_view text);

}  // namespace ws::lift
