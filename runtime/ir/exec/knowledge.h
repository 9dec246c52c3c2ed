// The events that happened before: a vector clock over workers, and the asynchronous operations
// that are known to be complete. Operations are named one by one rather than by a clock of their
// engine, because TMA completes in no order: to have waited for stage 1 says nothing of stage 0.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace ws::ir {

class Knowledge {
 public:
  /// True when everything worker `worker` did in its epoch `epoch` happened before.
  [[nodiscard]] bool knows(std::size_t worker, std::uint32_t epoch) const {
    return worker < clock_.size() && clock_[worker] >= epoch;
  }

  /// True when operation `op` is known to be complete.
  [[nodiscard]] bool knows_op(std::uint32_t op) const { return has(done_, op); }

  /// The same, and fence_proxy_async came after it: visible to TMA and wgmma.
  [[nodiscard]] bool fenced(std::size_t worker, std::uint32_t epoch) const {
    return worker < fenced_clock_.size() && fenced_clock_[worker] >= epoch;
  }

  [[nodiscard]] bool fenced_op(std::uint32_t op) const { return has(fenced_done_, op); }

  [[nodiscard]] std::uint32_t epoch_of(std::size_t worker) const {
    return worker < clock_.size() ? clock_[worker] : 0;
  }

  /// Everything that `worker` does from now on belongs to a new epoch.
  void advance(std::size_t worker);

  void complete(std::uint32_t op) { set(done_, op); }

  void fence();
  void join(const Knowledge& other);

 private:
  using Bits = std::vector<std::uint64_t>;

  static bool has(const Bits& bits, std::uint32_t index);
  static void set(Bits& bits, std::uint32_t index);
  static void join(Bits& into, const Bits& other);
  static void join(std::vector<std::uint32_t>& into, const std::vector<std::uint32_t>& other);

  std::vector<std::uint32_t> clock_;
  std::vector<std::uint32_t> fenced_clock_;
  Bits done_;
  Bits fenced_done_;
};

}  // namespace ws::ir
