// Shuffles, votes and warp reductions over the fibers of one warp.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "runtime/device/cpu/block_runner.h"

namespace ws::cpu {

/// A __reduce_..._sync().
[[nodiscard]] constexpr bool is_reduction(cpu_abi::WarpMode mode) {
  return mode >= cpu_abi::WarpMode::kAdd && mode <= cpu_abi::WarpMode::kXor;
}

/// The lanes of one warp; `count` is less than 32 in a partial last warp.
class WarpView {
 public:
  WarpView(const Fiber* lanes, std::size_t count)
      : lanes_(lanes),
        count_(count) {}

  /// The lanes that take part in `fiber`'s operation when all of them have arrived (exited and
  /// missing lanes do not count); 0 while one is still to come.
  [[nodiscard]] std::uint32_t complete_group(const Fiber& fiber) const;
  /// False when the lanes of the group are at different kinds of operation.
  [[nodiscard]] bool same_mode(std::uint32_t group) const;
  /// Each lane's result; lanes outside `group` are 0.
  /// @source CUDA C++ Programming Guide, warp shuffle, vote, match and reduce functions.
  [[nodiscard]] std::array<std::uint64_t, kWarpSize> results(std::uint32_t group) const;

 private:
  [[nodiscard]] std::uint64_t shuffled(std::uint32_t group, std::size_t lane) const;
  [[nodiscard]] std::uint64_t reduced(std::uint32_t group) const;
  [[nodiscard]] std::uint64_t matched(std::uint32_t group, std::size_t lane) const;

  const Fiber* lanes_;
  std::size_t count_;
};

}  // namespace ws::cpu
