#include "runtime/kernel/plan/buffer_spec.h"

#include <algorithm>
#include <numeric>
#include <string>

namespace ws {
namespace {

/// Row-major strides; false when the buffer is too large for them.
bool row_major(BufferSpec& buffer) {
  buffer.strides.assign(buffer.shape.size(), 1);
  std::int64_t stride = 1;
  for (std::size_t i = buffer.shape.size(); i-- > 0;) {
    buffer.strides[i] = stride;
    if (__builtin_mul_overflow(stride, std::max<std::int64_t>(buffer.shape[i], 1), &stride) ||
        stride > kMaxElements) {
      return false;
    }
  }
  return true;
}

/// Two elements of a written buffer may not share a place: the judge could not tell them apart.
bool overlaps(const BufferSpec& buffer) {
  std::vector<std::size_t> order(buffer.shape.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::sort(order.begin(), order.end(),
            [&](std::size_t a, std::size_t b) { return buffer.strides[a] < buffer.strides[b]; });
  std::int64_t reach = 0;  // The reach of all faster dimensions.
  for (const std::size_t i : order) {
    if (buffer.shape[i] > 1) {
      if (buffer.strides[i] <= reach) {
        return true;
      }
      reach += (buffer.shape[i] - 1) * buffer.strides[i];
    }
  }
  return false;
}

}  // namespace

Status measure_buffer(BufferSpec& buffer) {
  const auto too_large =
      fail(ErrorCode::kInvalidArgument, "more than " + std::to_string(kMaxElements) + " elements");
  if (buffer.strides.empty() && !row_major(buffer)) {
    return too_large;
  }
  buffer.elements = 1;
  std::int64_t last = 0;
  for (std::size_t i = 0; i < buffer.shape.size(); ++i) {
    std::int64_t reach = 0;
    if (__builtin_mul_overflow(buffer.elements, buffer.shape[i], &buffer.elements) ||
        __builtin_mul_overflow(std::max<std::int64_t>(buffer.shape[i] - 1, 0), buffer.strides[i],
                               &reach) ||
        __builtin_add_overflow(last, reach, &last) || last >= kMaxElements ||
        buffer.elements > kMaxElements) {
      return too_large;
    }
  }
  buffer.span = buffer.elements == 0 ? 0 : last + 1;
  if (buffer.role != BufferRole::kIn && buffer.elements > 0 && overlaps(buffer)) {
    return fail(ErrorCode::kInvalidArgument,
                "the strides let elements of a written buffer overlap");
  }
  return {};
}

}  // namespace ws
