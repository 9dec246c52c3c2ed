#include "runtime/device/cuda/measure/fresh_inputs.h"

#include <algorithm>

#include "runtime/base/keyed_stream.h"

namespace ws::cuda {

std::vector<std::uint64_t> rotations_of(const std::vector<RunRange>& buffers, std::uint64_t seed) {
  std::vector<std::uint64_t> rotations;
  for (std::size_t i = 0; i < buffers.size(); ++i) {
    const RunRange& buffer = buffers[i];
    const bool rotated = seed != 0 && buffer.rotation_step > 0;
    const std::uint64_t steps =
        rotated ? (buffer.high - buffer.low) / buffer.rotation_step : std::uint64_t{1};
    rotations.push_back(rotated ? derive_seed(seed, "rotation", i) % steps * buffer.rotation_step
                                : 0);
  }
  return rotations;
}

FreshInputs::FreshInputs(Context& context, PlanRunner& runner)
    : context_(context),
      runner_(runner) {
  const std::vector<RunRange>& buffers = runner.plan().buffers;
  for (std::size_t i = 0; i < buffers.size(); ++i) {
    if (buffers[i].rotation_step > 0) {
      rotated_.push_back({buffers[i].low, buffers[i].high, i});
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

Status FreshInputs::restore_fixed(CuDevicePtr pristine) {
  for (const Range& range : fixed_) {
    WS_CHECK(WS_CU_CALL(context_.driver(), cuMemcpyDtoDAsync, runner_.mirror() + range.low,
                        pristine + range.low, range.high - range.low, context_.stream()));
  }
  return {};
}

Status FreshInputs::restore_rotated(CuDevicePtr pristine, std::uint64_t seed) {
  const std::vector<std::uint64_t> rotations = rotations_of(runner_.plan().buffers, seed);
  for (const Range& range : rotated_) {
    const std::uint64_t middle = range.low + rotations[range.buffer];
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
  const std::vector<std::uint64_t> rotations = rotations_of(runner_.plan().buffers, seed);
  for (const Range& range : rotated_) {
    const std::uint64_t middle = range.low + rotations[range.buffer];
    WS_CHECK(runner_.download(middle, range.low, range.high - middle));
    if (middle > range.low) {
      WS_CHECK(runner_.download(range.low, range.low + (range.high - middle), middle - range.low));
    }
  }
  return {};
}

}  // namespace ws::cuda
