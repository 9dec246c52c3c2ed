// Operations and operators on values: the type by check/infer.h, the elements by tile_math.h.
#pragma once

#include <span>

#include "runtime/base/result.h"
#include "runtime/ir/exec/value.h"
#include "runtime/ir/syntax/ops.h"

namespace ws::ir {

/// A pure operation on numbers and tiles (buffers were read into tiles), one argument for each
/// parameter. In ValueMode::kNone only tiles of integers are computed, which may be indices, and
/// only from elements that are kept. @errors kInvalidArgument: as infer_op, and division by zero of
/// integers.
Result<Value> apply_op(ValueMode mode, Op op, std::span<const Value> args);
Result<Value> apply_binary(ValueMode mode, Operator op, const Value& a, const Value& b);
Result<Value> apply_unary(ValueMode mode, Operator op, const Value& a);

/// `acc` + a * b, all tiles of two dimensions; `acc` may be null.
Tile product(ValueMode mode, DType dtype, const Tile& a, const Tile& b, const Tile* acc);

/// The elements that stand for a value in a tile of `shape`: of a number, that number everywhere.
std::vector<double> spread(const Value& value, const Shape& shape);

/// True when a condition holds, which is determined. @errors kInvalidArgument: it is a tile.
Result<bool> truth_of(const Value& value);

}  // namespace ws::ir
