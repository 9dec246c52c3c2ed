// Results of operations on memory, products and barriers, and the rules of the hardware for them.
#include <algorithm>
#include <array>
#include <cstdlib>

#include "runtime/base/nearest.h"
#include "runtime/ir/check/infer.h"

namespace ws::ir {
namespace {

struct TagRow {
  Op op;
  std::vector<std::string> tags;
};

// The only list of instruction tags; the first of a row is its default.
const std::vector<TagRow>& tag_rows() {
  static const std::vector<TagRow> rows = {
      {Op::kGemm, {"mma.sync", "wmma", "fma"}},
      {Op::kGemmAsync, {"wgmma"}},
      {Op::kCopy, {"", "ld", "st", "ldmatrix", "stmatrix"}},
      {Op::kCopyAsync, {"tma", "cp.async"}},
  };
  return rows;
}

Status check_tag(Op op, const Type& tag) {
  const auto row = std::find_if(tag_rows().begin(), tag_rows().end(),
                                [&](const TagRow& entry) { return entry.op == op; });
  const bool known = tag.kind == Kind::kNone ||
                     std::find(row->tags.begin(), row->tags.end(), tag.text) != row->tags.end();
  return known ? Status()
               : bad("unknown instruction `" + tag.text + "`", suggest(tag.text, row->tags));
}

Status check_word(const std::string& name, const Type& value,
                  const std::vector<std::string>& words) {
  if (value.kind == Kind::kNone ||
      std::find(words.begin(), words.end(), value.text) != words.end()) {
    return {};
  }
  return bad("`" + name + "` is \"" + value.text + "\"", suggest(value.text, words));
}

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
  WS_CHECK(check_word("pad", args[3], {"zero", "one", "-inf", "none"}));
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

// PTX 8.0, ldmatrix and stmatrix: 8 x 8 matrices of 16 bits between shared memory and registers.
Status check_matrix_copy(const Type& target, const Type& source, const std::string& tag) {
  const bool loads = tag == "ldmatrix";
  if (!loads && tag != "stmatrix") {
    return {};
  }
  const Type& memory = loads ? source : target;
  const Type& registers = loads ? target : source;
  if (memory.kind != Kind::kBuffer || memory.space != Space::kShared ||
      (registers.kind == Kind::kBuffer && registers.space != Space::kRegister)) {
    return bad(tag +
                   (loads ? " copies from shared memory to registers"
                          : " copies from registers to shared memory") +
                   ", got " + describe(source) + " to " + describe(target),
               "leave the instruction out");
  }
  if (size_of(memory.dtype) > 2) {
    return bad(tag + " moves elements of 8 or 16 bits, got " + std::string(name_of(memory.dtype)),
               loads ? "use \"ld\"" : "use \"st\"");
  }
  return {};
}

Status check_same(const Type& target, const Type& source) {
  if (!source.is_tile()) {
    return {};
  }
  if (source.shape != target.shape) {
    return bad("`target` is " + to_text(target.shape) + " and `source` " + to_text(source.shape));
  }
  return {};
}

// CUDA driver API, cuTensorMapEncodeTiled: what a box may be.
Status check_box(const Type& target, const Type& source, const std::string& swizzle) {
  constexpr std::int64_t max_size = 256;
  constexpr std::size_t max_rank = 5;
  if (target.shape.size() > max_rank) {
    return bad("a tma box of " + to_text(target.shape) + ": it has at most 5 dimensions");
  }
  for (const std::int64_t size : target.shape) {
    if (size > max_size) {
      return bad("a tma box of " + to_text(target.shape) + ": each size is at most 256");
    }
  }
  const std::int64_t row = (target.shape.empty() ? 1 : target.shape.back()) *
                           static_cast<std::int64_t>(size_of(target.dtype));
  if (row % 16 != 0) {
    return bad("a tma box has rows of " + std::to_string(row) + " bytes: they are multiples of 16");
  }
  const Type& shared = target.space == Space::kShared ? target : source;
  const std::string& word = swizzle.empty() ? shared.text : swizzle;
  const bool plain = word.empty() || word == "none";
  const std::int64_t span = plain ? row : std::strtoll(word.c_str(), nullptr, 10);
  if (row > span) {
    return bad("a tma box with swizzle " + word + " has rows of " + std::to_string(row) +
                   " bytes: they are at most " + std::to_string(span),
               "copy it in parts, or use a wider swizzle");
  }
  return {};
}

Status check_tma(const Type& target, const Type& source, const Type& barrier,
                 const std::string& swizzle) {
  const bool in = target.space == Space::kShared && source.space == Space::kGlobal;
  const bool out = target.space == Space::kGlobal && source.space == Space::kShared;
  if (!in && !out) {
    return bad("tma copies between global and shared memory, not from " + word_of(source.space) +
               " to " + word_of(target.space));
  }
  if (in && barrier.kind == Kind::kNone) {
    return bad("a tma load needs a barrier", "copy_async(target, source, barrier)");
  }
  if (out && barrier.kind != Kind::kNone) {
    return bad("a tma store completes by group, not on a barrier",
               "commit_group(\"tma\"), then wait_group(0, \"tma\")");
  }
  return check_box(target, source, swizzle);
}

Result<Type> copy_async(std::span<const Type> args) {
  WS_CHECK(check_tag(Op::kCopyAsync, args[3]));
  WS_CHECK(check_word("swizzle", args[4], {"", "none", "32B", "64B", "128B"}));
  WS_CHECK(check_same(args[0], args[1]));
  if (args[0].dtype != args[1].dtype) {
    return bad("`target` is of " + std::string(name_of(args[0].dtype)) + " and `source` of " +
               std::string(name_of(args[1].dtype)) + ": a copy does not convert");
  }
  if (args[3].text != "cp.async") {
    WS_CHECK(check_tma(args[0], args[1], args[2], args[4].text));
  } else if (args[0].space != Space::kShared || args[1].space != Space::kGlobal) {
    return bad("cp.async copies from global to shared memory, not from " + word_of(args[1].space) +
               " to " + word_of(args[0].space));
  }
  return Type();
}

struct LimitRow {
  Op op;
  std::int64_t least;
  std::int64_t most;
};

// PTX 8.0: arrivals and bytes of an mbarrier have 20 bits; there are 16 named barriers.
constexpr std::int64_t kMaxCount = (std::int64_t{1} << 20U) - 1;
constexpr std::array<LimitRow, 8> kLimits = {{
    {Op::kBarrierInit, 1, kMaxCount},
    {Op::kBarrierArrive, 1, kMaxCount},
    {Op::kBarrierExpect, 0, kMaxCount},
    {Op::kBarrierArriveExpect, 0, kMaxCount},
    {Op::kBarrierWait, 0, 1},
    {Op::kBarSync, 0, 15},
    {Op::kBarArrive, 0, 15},
    {Op::kSetMaxRegisters, 24, 256},
}};

Status check_nothing(const OpInfo& info, std::span<const Type> args) {
  const auto* const limit = std::find_if(kLimits.begin(), kLimits.end(),
                                         [&](const LimitRow& row) { return row.op == info.op; });
  if (limit != kLimits.end() && args[0].constant()) {
    const std::int64_t value = args[0].constant().value_or(0);
    if (value < limit->least || value > limit->most) {
      return bad("`" + info.params[0].name + "` is " + std::to_string(value) + ": it is " +
                 std::to_string(limit->least) + " to " + std::to_string(limit->most));
    }
  }
  // PTX 8.0, bar: whole warps come.
  const bool named = info.op == Op::kBarSync || info.op == Op::kBarArrive;
  if (named && args[1].constant()) {
    const std::int64_t threads = args[1].constant().value_or(0);
    if (threads < 32 || threads > 1024 || threads % 32 != 0) {
      return bad("`threads` is " + std::to_string(threads) + ": it is a multiple of 32 up to 1024");
    }
  }
  if (info.op == Op::kCommitGroup) {
    return check_word("kind", args[0], {"", "tma", "wgmma", "cp.async"});
  }
  if (info.op == Op::kWaitGroup) {
    return check_word("kind", args[1], {"", "tma", "wgmma", "cp.async"});
  }
  if (info.op == Op::kBind) {
    return check_word("kind", args[1], {"block", "warpgroup", "warp", "thread"});
  }
  return {};
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
      WS_CHECK(check_tag(info.op, args[2]));
      WS_CHECK(check_same(args[0], args[1]));
      WS_CHECK(check_matrix_copy(args[0], args[1], args[2].text));
      return Type();
    case OpGroup::kCopyAsync:
      return copy_async(args);
    case OpGroup::kBarrier: {
      Type type;
      type.kind = Kind::kBarrier;
      WS_TRY(type.shape, args[0].kind == Kind::kNone ? Shape{1} : shape_of(args[0]));
      return type;
    }
    default:  // kNothing
      WS_CHECK(check_nothing(info, args));
      return Type();
  }
}

}  // namespace ws::ir
