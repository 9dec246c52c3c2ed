#include "runtime/judge/rotation.h"

#include "runtime/judge/fills.h"

namespace ws {
namespace {

/// Fewer rows are too few ways to rotate them.
constexpr std::int64_t kManyRows = 16;

bool is_row_major(const BufferSpec& spec) {
  std::int64_t stride = 1;
  for (std::size_t axis = spec.shape.size(); axis-- > 0;) {
    if (spec.strides[axis] != stride) {
      return false;
    }
    stride *= spec.shape[axis];
  }
  return true;
}

}  // namespace

std::int64_t rotation_step(const ArgSpec& arg, const BufferSpec& spec) {
  const bool input = spec.role == BufferRole::kIn || spec.role == BufferRole::kInout;
  const FillRow* fill = find_fill(arg.fill.kind);
  if (!input || fill == nullptr || !fill->any_order || !spec.contiguous() || spec.elements < 2) {
    return 0;
  }
  const std::int64_t columns = spec.shape.back();
  const std::int64_t rows = spec.elements / columns;
  if (spec.role == BufferRole::kInout && !is_row_major(spec)) {
    return 0;
  }
  const bool whole_rows =
      is_row_major(spec) && (rows >= kManyRows || (rows > 1 && spec.role == BufferRole::kInout));
  return whole_rows ? columns : 1;
}

}  // namespace ws
