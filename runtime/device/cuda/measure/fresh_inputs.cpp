#include "runtime/device/cuda/measure/fresh_inputs.h"

#include <algorithm>

#include "runtime/base/keyed_stream.h"

namespace ws::cuda {

FreshInputs::FreshInputs(Context& context, PlanRunner& runner)
    : context_(context),
      runner_(runner) {
  for (const RunRange& buffer : runner.plan().buffers) {
    if (buffer.rotation_step > 0) {
      rotated_.push_back({buffer.low, buffer.high, buffer.rotation_step});
    }
  }
  std::sort(rotated_.begin(), rotated_.end(),
            [](const Range& left, const Range& right) { return left.low < right.low; });
  std::uint64_t at = 0;
  for (const Range& range : rotated_) {
    fixed_.push_back({at, range.low});
    at = range.high;
  }
  fixed_.push_back({at, runner.bytes()});
}

std::uint64_t FreshInputs::cut(const Range& range, std::uint64_t seed, std::size_t index) {
  const std::uint64_t steps = (range.high - range.low) / range.step;
  return seed == 0 ? range.low
                   : range.low + derive_seed(seed, "rotation", index) % steps * range.step;
}

Status FreshInputs::restore_fixed(CuDevicePtr pristine) {
  for (const Range& range : fixed_) {
    WS_CHECK(WS_CU_CALL(context_.driver(), cuMemcpyDtoDAsync, runner_.mirror() + range.low,
                        pristine + range.low, range.high - range.low, context_.stream()));
  }
  return {};
}

Status FreshInputs::restore_rotated(CuDevicePtr pristine, std::uint64_t seed) {
  for (std::size_t i = 0; i < rotated_.size(); ++i) {
    const Range& range = rotated_[i];
    const std::uint64_t middle = cut(range, seed, i);
    const CuDevicePtr to = runner_.mirror() + range.low;
    WS_CHECK(WS_CU_CALL(context_.driver(), cuMemcpyDtoDAsync, to, pristine + middle,
                        range.high - middle, context_.stream()));
    if (middle > range.low) {
      WS_CHECK(WS_CU_CALL(context_.driver(), cuMemcpyDtoDAsync, to + (range.high - middle),
                          pristine + range.low, middle - range.low, context_.stream()));
    }
  }
  return {};
}

Status FreshInputs::download(std::uint64_t seed) {
  for (const Range& range : fixed_) {
    WS_CHECK(runner_.download(range.low, range.low, range.high - range.low));
  }
  for (std::size_t i = 0; i < rotated_.size(); ++i) {
    const Range& range = rotated_[i];
    const std::uint64_t middle = cut(range, seed, i);
    WS_CHECK(runner_.download(middle, range.low, range.high - middle));
    if (middle > range.low) {
      WS_CHECK(runner_.download(range.low, range.low + (range.high - middle), middle - range.low));
    }
  }
  return {};
}

}  // namespace ws::cuda
