// Results of operations on barriers and rings, and of those without a result, and the limits of
// their numbers.
#include <algorithm>
#include <array>

#include "runtime/ir/check/infer.h"

namespace ws::ir {
namespace {

struct LimitRow {
  Op op;
  std::int64_t least;
  std::int64_t most;
};

// PTX 8.0: arrivals and bytes of an mbarrier have 20 bits; there are 16 named barriers.
constexpr std::int64_t kMaxCount = (std::int64_t{1} << 20U) - 1;
constexpr std::int64_t kMaxRound = (std::int64_t{1} << 40U) - 1;
constexpr std::array<LimitRow, 11> kLimits = {{
    {Op::kBarrierInit, 1, kMaxCount},
    {Op::kBarrierArrive, 1, kMaxCount},
    {Op::kBarrierExpect, 0, kMaxCount},
    {Op::kBarrierArriveExpect, 0, kMaxCount},
    {Op::kBarrierWait, 0, 1},
    {Op::kRingAcquire, 0, kMaxRound},
    {Op::kRingWait, 0, kMaxRound},
    {Op::kRingRelease, 0, kMaxRound},
    {Op::kBarSync, 0, 15},
    {Op::kBarArrive, 0, 15},
    {Op::kSetMaxRegisters, 24, 256},
}};

std::optional<std::int64_t> first_of(std::span<const Type> args) {
  return args.empty() ? std::nullopt : args[0].constant();
}

/// The sum of numbers and sizes of buffers, if all are known.
std::optional<std::int64_t> expected_bytes(std::span<const Type> args) {
  std::optional<std::int64_t> sum = 0;
  for (const Type& arg : args) {
    const std::optional<std::int64_t> own =
        arg.kind == Kind::kBuffer ? std::optional(bytes_of(arg.shape, arg.dtype)) : arg.constant();
    sum = sum && own ? std::optional(*sum + *own) : std::nullopt;
  }
  return sum;
}

Status check_nothing(const OpInfo& info, std::span<const Type> args) {
  const auto* const limit = std::find_if(kLimits.begin(), kLimits.end(),
                                         [&](const LimitRow& row) { return row.op == info.op; });
  const bool expects = !info.params.empty() && info.params[0].kind == ArgKind::kBytes;
  if (expects && args[0].kind == Kind::kNone) {
    return bad("argument `bytes` is missing", "arguments: " + std::string(info.signature));
  }
  const std::optional<std::int64_t> known = expects ? expected_bytes(args) : first_of(args);
  if (limit != kLimits.end() && known) {
    const std::int64_t value = *known;
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

Result<Type> ring(std::span<const Type> args) {
  Type type;
  type.kind = Kind::kRing;
  WS_TRY(type.shape, shape_of(args[0]));
  const std::int64_t arrivals = args[1].constant().value_or(1);
  if (arrivals < 1 || arrivals > kMaxCount) {
    return bad("`arrivals` is " + std::to_string(arrivals) + ": it is 1 to " +
               std::to_string(kMaxCount));
  }
  return type;
}

}  // namespace

Result<Type> infer_sync_op(const OpInfo& info, std::span<const Type> args) {
  switch (info.group) {
    case OpGroup::kBarrier: {
      Type type;
      type.kind = Kind::kBarrier;
      WS_TRY(type.shape, args[0].kind == Kind::kNone ? Shape{1} : shape_of(args[0]));
      return type;
    }
    case OpGroup::kRing:
      return ring(args);
    case OpGroup::kRingFull: {
      if (args[0].constant().value_or(0) < 0) {
        return bad("`round` is " + std::to_string(*args[0].constant()) + ": rounds begin with 0");
      }
      Type type;
      type.kind = Kind::kBarrier;
      return type;
    }
    case OpGroup::kAtBlock:
      if (args[0].kind != Kind::kBarrier &&
          (args[0].kind != Kind::kBuffer || args[0].space != Space::kShared)) {
        return bad("`x` must be a barrier or lie in shared memory, got " + describe(args[0]));
      }
      return args[0];
    default:  // kNothing
      WS_CHECK(check_nothing(info, args));
      return info.op == Op::kBarrierArrive || info.op == Op::kBarrierArriveExpect
                 ? Type::integer(Affine::unknown())
                 : Type();
  }
}

}  // namespace ws::ir
