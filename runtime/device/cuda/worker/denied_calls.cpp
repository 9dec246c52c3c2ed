#include "runtime/device/cuda/worker/denied_calls.h"

#include <algorithm>
#include <cerrno>

#include <asm/sockios.h>
#include <fcntl.h>
#include <sys/ioctl.h>
#include <unistd.h>

namespace ws::cuda {
namespace {

struct Order {
  int call;
  scmp_datum_t order;
};

/// They say whom the kernel signals when a file can be read, and by which signal; the last one
/// types into a terminal.
constexpr std::array kDeniedOrders = {
    Order{SCMP_SYS(fcntl), F_SETOWN},  Order{SCMP_SYS(fcntl), F_SETOWN_EX},
    Order{SCMP_SYS(fcntl), F_SETSIG},  Order{SCMP_SYS(ioctl), FIOSETOWN},
    Order{SCMP_SYS(ioctl), SIOCSPGRP}, Order{SCMP_SYS(ioctl), TIOCSTI}};

bool deny_orders(const Filter& filter) {
  return std::ranges::all_of(kDeniedOrders, [&filter](const Order& denied) {
    return seccomp_rule_add(filter.get(), SCMP_ACT_ERRNO(EPERM), denied.call, 1,
                            SCMP_A1(SCMP_CMP_MASKED_EQ, kOrderBits, denied.order)) == 0;
  });
}

}  // namespace

Filter denying_filter() {
  Filter filter(seccomp_init(SCMP_ACT_ALLOW));
  const bool ready = filter != nullptr && deny(filter, kDeniedCalls) && deny_orders(filter) &&
                     deny_for_others(filter, SCMP_SYS(tgkill), ::getpid());
  return ready ? std::move(filter) : Filter();
}

Status enter(const Filter& filter) {
  if (filter == nullptr || seccomp_load(filter.get()) != 0) {
    return fail(ErrorCode::kIo, "the sandbox cannot be entered",
                "this kernel needs seccomp; see `warpsmith doctor`", "seccomp_load");
  }
  return {};
}

bool deny_for_others(const Filter& filter, int call, int own) {
  return seccomp_rule_add(filter.get(), SCMP_ACT_ERRNO(EPERM), call, 1,
                          SCMP_A0(SCMP_CMP_NE, static_cast<scmp_datum_t>(own))) == 0;
}

bool deny(const Filter& filter, std::span<const int> calls) {
  return std::ranges::all_of(calls, [&filter](int call) {
    return seccomp_rule_add(filter.get(), SCMP_ACT_ERRNO(EPERM), call, 0) == 0;
  });
}

}  // namespace ws::cuda
