#include "runtime/device/cuda/worker/buffers_apart.h"

namespace ws::cuda {

Result<BuffersApart> BuffersApart::create(Driver& driver, const RunPlan& plan) {
  BuffersApart buffers(plan);
  for (const RunRange& range : plan.buffers) {
    WS_TRY(Memory memory, allocate(driver, range.high - range.low));
    buffers.memory_.push_back(std::move(memory));
  }
  return buffers;
}

CuDevicePtr BuffersApart::at(std::uint64_t arena_offset) const {
  for (std::size_t i = 0; i < memory_.size(); ++i) {
    const RunRange& range = plan_->buffers[i];
    if (arena_offset >= range.low && arena_offset <= range.high) {
      return memory_[i].get() + (arena_offset - range.low);
    }
  }
  return 0;
}

Status BuffersApart::upload(Driver& driver, CuStream stream,
                            std::span<const std::byte> arena) const {
  for (std::size_t i = 0; i < memory_.size(); ++i) {
    const RunRange& range = plan_->buffers[i];
    if (range.given && range.high > range.low) {
      WS_CHECK(WS_CU_CALL(driver, cuMemcpyHtoDAsync, memory_[i].get(), arena.data() + range.low,
                          range.high - range.low, stream));
    }
  }
  return {};
}

std::vector<std::uint64_t> BuffersApart::addresses() const {
  std::vector<std::uint64_t> addresses;
  addresses.reserve(memory_.size());
  for (const Memory& memory : memory_) {
    addresses.push_back(memory.get());
  }
  return addresses;
}

}  // namespace ws::cuda
