// The rules for results: one for each group of operations, and for operators. Checker and executor
// both ask here, so that what is checked is what runs.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "runtime/base/result.h"
#include "runtime/ir/check/type.h"
#include "runtime/ir/syntax/ops.h"

namespace ws::ir {

/// The type of op(args): one argument for each parameter, None where it was left out; the last
/// parameter's further arguments follow when it is repeated. Kinds were checked by bind_args.
/// @errors kInvalidArgument: what does not fit, without the operation's name.
Result<Type> infer_op(Op op, std::span<const Type> args);

/// @errors kInvalidArgument: operands that the operator does not take, shapes that do not fit.
Result<Type> infer_binary(Operator op, const Type& a, const Type& b);
Result<Type> infer_unary(Operator op, const Type& a);

/// The shape of two operands element by element: sizes are equal or 1, dimension by dimension.
Result<Shape> broadcast_shape(const Shape& a, const Shape& b);

/// The shape. @errors kInvalidArgument: more than kMaxTileElements elements.
Result<Shape> check_size(Shape shape);

/// The shape that a tuple of constants, or one constant, stands for. @errors kInvalidArgument: not
/// constant, negative, or more than kMaxTileElements elements.
Result<Shape> shape_of(const Type& type);
Result<DType> dtype_of(const Type& type);

/// `dim` as an index from 0, negative ones from the end.
Result<std::size_t> dim_of(const Type& type, std::size_t rank);

/// Maps the arguments of a call to parameters: an index into the arguments for each of
/// `info.params`, then for those of a repeated one; kLeftOut where a default holds.
inline constexpr std::size_t kLeftOut = SIZE_MAX;
Result<std::vector<std::size_t>> bind_args(const OpInfo& info, std::size_t positional,
                                           std::span<const std::string> keywords);

/// @errors kInvalidArgument: "`x` must be a tile or a number, got a barrier".
Status check_arg(const OpParam& param, const Type& type);

/// The values that an argument of this kind may have, in words: "a tile or a number".
std::string describe(ArgKind kind);

// The groups, one function each (infer_tile.cpp, infer_memory.cpp).
Result<Type> infer_tile_op(const OpInfo& info, std::span<const Type> args);
Result<Type> infer_memory_op(const OpInfo& info, std::span<const Type> args);
Result<Type> infer_sync_op(const OpInfo& info, std::span<const Type> args);

// Copies (infer_copy.cpp).
Result<Type> infer_copy(std::span<const Type> args);
Result<Type> infer_copy_async(std::span<const Type> args);

/// The arguments of copy_async that stand for those of `op`: itself, tma_load, tma_store or
/// cp_async. @param text  Makes a text of a word.
template <typename Arg, typename MakeText>
std::vector<Arg> copy_async_args(Op op, std::span<const Arg> args, const MakeText& text) {
  switch (op) {
    case Op::kTmaLoad:
      return {args[0], args[1], args[2], text("tma"), args[3], Arg(), args[4]};
    case Op::kTmaStore:
      return {args[0], args[1], Arg(), text("tma"), args[2], Arg(), Arg()};
    case Op::kCpAsync:
      return {args[0], args[1], args[2], text("cp.async"), Arg(), args[3], Arg()};
    default:
      return {args.begin(), args.end()};
  }
}

/// Checks that the operation has the instruction `tag`. @errors kInvalidArgument: it does not.
Status check_tag(Op op, const Type& tag);

/// The text argument `name` is one of `words`, or left out. @errors kInvalidArgument: it is not.
Status check_word(const std::string& name, const Type& value,
                  const std::vector<std::string>& words);

/// fail() with kInvalidArgument.
tl::unexpected<Error> bad(std::string message, std::string hint = {});

}  // namespace ws::ir
