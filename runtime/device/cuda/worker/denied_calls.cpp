#include "runtime/device/cuda/worker/denied_calls.h"

#include <algorithm>
#include <cerrno>

namespace ws::cuda {

Filter denying_filter() {
  Filter filter(seccomp_init(SCMP_ACT_ALLOW));
  return filter != nullptr && deny(filter, kDeniedCalls) ? std::move(filter) : Filter();
}

Status enter(const Filter& filter) {
  if (filter == nullptr || seccomp_load(filter.get()) != 0) {
    return fail(ErrorCode::kIo, "the sandbox cannot be entered",
                "this kernel needs seccomp; see `warpsmith doctor`", "seccomp_load");
  }
  return {};
}

bool deny(const Filter& filter, std::span<const int> calls) {
  return std::ranges::all_of(calls, [&filter](int call) {
    return seccomp_rule_add(filter.get(), SCMP_ACT_ERRNO(EPERM), call, 0) == 0;
  });
}

}  // namespace ws::cuda
