// The threads of a block that a bound role takes.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "runtime/base/result.h"

namespace ws::ir {

/// Threads `first` to `first` + `count` - 1. A block-wide role has count 0: all there are.
struct Threads {
  std::int64_t first = 0;
  std::int64_t count = 0;
};

/// The threads of one worker: "warpgroup" 2 has 256 to 383. @errors kInvalidArgument: beyond the
/// 1024 threads of a block.
Result<Threads> threads_of(const std::string& kind, std::int64_t index);

/// "consumer(1)": a role and the number it was bound to.
struct RoleThreads {
  std::string name;
  Threads threads;
};

/// @errors kInvalidArgument: `next` takes a thread, or a part of a warp, that one of `taken` has.
Status check_disjoint(const std::vector<RoleThreads>& taken, const RoleThreads& next);

}  // namespace ws::ir
