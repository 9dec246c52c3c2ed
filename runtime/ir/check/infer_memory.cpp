// Results of operations on memory and of products, and the rules of the hardware for them;
// infer_copy.cpp has those for copies, infer_sync.cpp those for barriers.
#include "runtime/ir/check/infer.h"

namespace ws::ir {
namespace {

Status check_index(const Type& tensor, const Type& index) {
  const std::size_t count = index.kind == Kind::kTuple ? index.items.size() : 1;
  if (count != tensor.shape.size()) {
    return bad("`index` has " + std::to_string(count) + " numbers for " + describe(tensor));
  }
  return {};
}

Result<Type> load(std::span<const Type> args) {
  WS_CHECK(check_index(args[0], args[1]));
  WS_TRY(Shape shape, shape_of(args[2]));
  WS_CHECK(check_word("pad", args[3], {"zero", "-zero", "one", "inf", "-inf", "nan", "none"}));
  if (shape.size() != args[0].shape.size()) {
    return bad("`shape` " + to_text(shape) + " does not have the dimensions of " +
               describe(args[0]));
  }
  return Type::tile(args[0].dtype, std::move(shape));
}

Result<Type> store(std::span<const Type> args) {
  WS_CHECK(check_index(args[0], args[1]));
  if (!args[2].is_tile() || args[2].shape.size() != args[0].shape.size()) {
    return bad("`value` must be a tile with the dimensions of " + describe(args[0]) + ", got " +
               describe(args[2]));
  }
  return Type();
}

Status check_indices(const Type& indices, const Type& mask) {
  if (!indices.is_tile() || is_float(indices.dtype)) {
    return bad("`indices` must be a tile of integers, got " + describe(indices));
  }
  if (mask.kind != Kind::kNone && mask.shape != indices.shape) {
    return bad("`mask` must have the shape of `indices`, got " + describe(mask));
  }
  return {};
}

Result<Type> product(const Type& a, const Type& b, const Type& acc) {
  if (!a.is_tile() || !b.is_tile() || a.shape.size() != 2 || b.shape.size() != 2) {
    return bad("a product takes two tiles of two dimensions, got " + describe(a) + " and " +
               describe(b));
  }
  if (a.shape[1] != b.shape[0]) {
    return bad("`a` is " + to_text(a.shape) + " and `b` is " + to_text(b.shape) + ": " +
                   std::to_string(a.shape[1]) + " columns against " + std::to_string(b.shape[0]) +
                   " rows",
               a.shape[1] == b.shape[1] ? "b.T exchanges its dimensions" : "");
  }
  if (is_float(a.dtype) != is_float(b.dtype) || size_of(a.dtype) != size_of(b.dtype)) {
    return bad("`a` is of " + std::string(name_of(a.dtype)) + " and `b` of " +
                   std::string(name_of(b.dtype)),
               "x.to(\"" + std::string(name_of(b.dtype)) + "\") rounds to another type");
  }
  WS_TRY(const Shape shape, check_size({a.shape[0], b.shape[1]}));
  if (acc.kind != Kind::kNone && acc.shape != shape) {
    return bad("`acc` is " + describe(acc) + ", the product is " + to_text(shape));
  }
  const DType sum = a.dtype == DType::kF64 ? DType::kF64
                    : is_float(a.dtype)    ? DType::kF32
                                           : DType::kI32;
  return Type::tile(acc.kind == Kind::kNone ? sum : acc.dtype, shape);
}

// PTX 8.0, wgmma.mma_async: b is in shared memory, a there or in registers, m is 64, n a multiple
// of 8, and k a multiple of 32 bytes. A larger product is several instructions.
Result<Type> product_async(std::span<const Type> args) {
  const Type& a = args[0];
  const Type& b = args[1];
  WS_CHECK(check_tag(Op::kGemmAsync, args[2]));
  WS_TRY(Type type, product(a, b, args[3]));
  if (b.kind != Kind::kBuffer || b.space != Space::kShared) {
    return bad("`b` must be in shared memory, got " + describe(b));
  }
  if (a.kind == Kind::kBuffer && a.space == Space::kGlobal) {
    return bad("`a` must be in shared memory or in registers, got " + describe(a));
  }
  if (args[3].kind == Kind::kNone && args[5].kind != Kind::kNone) {
    return bad("`accumulate` says what happens to `acc`, which is missing");
  }
  if (args[3].kind != Kind::kNone && args[3].space != Space::kRegister) {
    return bad("`acc` must be in registers, got " + describe(args[3]));
  }
  const std::int64_t k_bytes = a.shape[1] * static_cast<std::int64_t>(size_of(a.dtype));
  if (a.shape[0] % 64 != 0 || b.shape[1] % 8 != 0 || k_bytes % 32 != 0) {
    return bad("wgmma has no shape for m = " + std::to_string(a.shape[0]) +
                   ", n = " + std::to_string(b.shape[1]) + ", k = " + std::to_string(a.shape[1]) +
                   " of " + std::string(name_of(a.dtype)),
               "m is a multiple of 64, n of 8, and k of 32 bytes");
  }
  type.kind = Kind::kBuffer;
  type.space = Space::kRegister;
  return type;
}

Result<Type> alloc(std::span<const Type> args) {
  WS_TRY(Shape shape, shape_of(args[0]));
  WS_CHECK(check_word("hierarchy", args[1], {"shared", "register"}));
  WS_TRY(const DType dtype, dtype_of(args[2]));
  WS_CHECK(check_word("swizzle", args[3], {"", "32B", "64B", "128B"}));
  Type type = Type::buffer(args[1].text == "shared" ? Space::kShared : Space::kRegister, dtype,
                           std::move(shape));
  type.text = args[3].text;
  return type;
}

}  // namespace

Result<Type> infer_memory_op(const OpInfo& info, std::span<const Type> args) {
  switch (info.group) {
    case OpGroup::kLoad:
      return load(args);
    case OpGroup::kStore:
      return store(args);
    case OpGroup::kGather:
      WS_CHECK(check_indices(args[1], args[2]));
      return Type::tile(args[0].dtype, args[1].shape);
    case OpGroup::kScatter:
      WS_CHECK(check_indices(args[1], args[3]));
      if (args[2].is_tile() && args[2].shape != args[1].shape) {
        return bad("`value` must have the shape of `indices`, got " + describe(args[2]));
      }
      return Type();
    case OpGroup::kProduct:
      if (info.op == Op::kGemm) {
        WS_CHECK(check_tag(info.op, args[2]));
      }
      return product(args[0], args[1], args.back());
    case OpGroup::kProductAsync:
      WS_CHECK(check_word("swizzle", args[4], {"", "none", "32B", "64B", "128B"}));
      return product_async(args);
    case OpGroup::kAlloc:
      return alloc(args);
    case OpGroup::kCopy:
      return infer_copy(args);
    case OpGroup::kCopyAsync:
      return infer_copy_async(copy_async_args(info.op, args, &Type::string));
    default:
      return infer_sync_op(info, args);
  }
}

}  // namespace ws::ir
