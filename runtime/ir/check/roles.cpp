#include "runtime/ir/check/roles.h"

#include <algorithm>

#include "runtime/base/units.h"
#include "runtime/ir/check/infer.h"

namespace ws::ir {
namespace {

constexpr std::int64_t kWarpgroup = 128;
constexpr std::int64_t kMaxThreads = 1024;

std::int64_t size_of_kind(const std::string& kind) {
  return kind == "warpgroup" ? kWarpgroup : kind == "warp" ? kWarpSize : kind == "thread" ? 1 : 0;
}

}  // namespace

Result<Threads> threads_of(const std::string& kind, std::int64_t index) {
  const std::int64_t count = size_of_kind(kind);
  const Threads threads{index * count, count};
  if (index < 0 || index >= kMaxThreads || threads.first + count > kMaxThreads) {
    return bad(kind + " " + std::to_string(index) + ": a block has 1024 threads");
  }
  return threads;
}

Status check_disjoint(const std::vector<RoleThreads>& taken, const RoleThreads& next) {
  for (const RoleThreads& other : taken) {
    const bool all = other.threads.count == 0 || next.threads.count == 0;
    const std::int64_t first = std::max(other.threads.first, next.threads.first);
    const std::int64_t end = std::min(other.threads.first + other.threads.count,
                                      next.threads.first + next.threads.count);
    if (all || first < end) {
      return bad("`" + next.name + "` and `" + other.name + "` share " +
                     (all ? "all threads"
                          : "thread " + std::to_string(first) + " of warp " +
                                std::to_string(first / kWarpSize)),
                 "bind them to different numbers");
    }
  }
  return {};
}

}  // namespace ws::ir
