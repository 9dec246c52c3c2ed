// Rows of a reference that are zero but for its own rounding: their values have no digits, and no
// kernel can give the same ones. They are judged as rows of zeros.
#pragma once

namespace ws {

/// A row that is smaller than this share of the output's usual size may be what rounding in f64
/// left of zeros.
inline constexpr double kNoise = 0x1p-40;

/// It is, where its slack (conditioning.h) is at least this share of its size: changes of the
/// inputs as small as rounding made other numbers of it.
inline constexpr double kNoDigits = 1.0 / 4;

/// @param size   The row's. @param usual  The size that rows of the output usually have.
/// @param slack  The row's.
inline bool is_noise(double size, double usual, double slack) {
  return size <= kNoise * usual && slack >= kNoDigits * size;
}

}  // namespace ws
