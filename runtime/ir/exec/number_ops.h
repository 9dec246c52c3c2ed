// Operations and operators on numbers: 64-bit integers, checked, and f64.
#pragma once

#include <span>

#include "runtime/base/result.h"
#include "runtime/ir/exec/value.h"
#include "runtime/ir/syntax/ops.h"

namespace ws::ir {

/// If an operand is undetermined, so is the result. @errors kInvalidArgument: division of integers
/// by zero, a shift or a power of an integer by less than 0; kUnsupported: an integer beyond 64
/// bits.
Result<Value> number_binary(Operator op, const Value& a, const Value& b);
Result<Value> number_unary(Operator op, const Value& a);

/// An operation whose result is the number that `type` says. @errors as number_binary.
Result<Value> number_op(const OpInfo& info, std::span<const Value> args, const Type& type);

/// One element of `philox`, whose key, word and rounds are among its arguments. @param counter Four
/// words.
double random_word(std::span<const Value> args, std::span<const double> counter);

}  // namespace ws::ir
