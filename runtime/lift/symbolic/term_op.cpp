#include "runtime/lift/symbolic/term_op.h"

#include <algorithm>
#include <array>
#include <utility>

namespace ws::lift {
namespace {

using ir::Operator;

constexpr std::array<std::pair<COperator, Operator>, 18> kBinary = {{
    {COperator::kAdd, Operator::kAdd},
    {COperator::kSubtract, Operator::kSubtract},
    {COperator::kMultiply, Operator::kMultiply},
    {COperator::kDivide, Operator::kDivide},
    {COperator::kRemainder, Operator::kModulo},
    {COperator::kShiftLeft, Operator::kShiftLeft},
    {COperator::kShiftRight, Operator::kShiftRight},
    {COperator::kBitAnd, Operator::kBitAnd},
    {COperator::kBitOr, Operator::kBitOr},
    {COperator::kBitXor, Operator::kBitXor},
    {COperator::kLess, Operator::kLess},
    {COperator::kLessEqual, Operator::kLessEqual},
    {COperator::kGreater, Operator::kGreater},
    {COperator::kGreaterEqual, Operator::kGreaterEqual},
    {COperator::kEqual, Operator::kEqual},
    {COperator::kNotEqual, Operator::kNotEqual},
    {COperator::kAnd, Operator::kAnd},
    {COperator::kOr, Operator::kOr},
}};

/// Each with what holds where it does not.
constexpr std::array<std::pair<Operator, Operator>, 3> kOpposites = {{
    {Operator::kLess, Operator::kGreaterEqual},
    {Operator::kLessEqual, Operator::kGreater},
    {Operator::kEqual, Operator::kNotEqual},
}};

}  // namespace

std::string_view TermOp::text() const {
  const auto index = static_cast<std::uint8_t>(code_ & ~kKinds);
  if (is_function()) {
    return ir::info_of(static_cast<ir::Op>(index)).name;
  }
  return (code_ & kKinds) == kOperators ? ir::info_of(static_cast<Operator>(index)).text : "";
}

std::optional<TermOp> negation_of(TermOp comparison) {
  for (const auto& [one, other] : kOpposites) {
    if (comparison == one || comparison == other) {
      return comparison == one ? other : one;
    }
  }
  return std::nullopt;
}

TermOp term_op_of(COperator op) {
  const auto* const row = std::find_if(kBinary.begin(), kBinary.end(),
                                       [&](const auto& one) { return one.first == op; });
  return row == kBinary.end() ? TermOp() : TermOp(row->second);
}

std::optional<TermOp> find_term_op(std::string_view text) {
  if (const std::optional<ir::Op> function = ir::find_op(text)) {
    return *function;
  }
  const auto* const row = std::find_if(kBinary.begin(), kBinary.end(), [&](const auto& one) {
    return ir::info_of(one.second).text == text;
  });
  return row == kBinary.end() ? std::nullopt : std::optional<TermOp>(row->second);
}

}  // namespace ws::lift
