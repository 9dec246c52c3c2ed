// Rows of a reference that are zero but for its own rounding: their values have no digits, and no
// kernel can give the same ones. They are judged as rows of zeros.
#pragma once

namespace ws {

/// A row that is smaller than this share of the output's usual size may be what rounding in f64
/// left of zeros.
inline constexpr double kNoise = 0x1p-40;

/// It is, where half of its elements moved (RowSlack::moves()) by at least this share of its size:
/// rounding made other numbers of the row, not of a few ill-conditioned elements. A row that is
/// small and has digits, as a gelu of -8, moves by a few millionths.
inline constexpr double kNoDigits = 1.0 / 32;

/// @param size   The row's. @param usual  The size that rows of the output usually have.
/// @param move   The row's.
inline bool is_noise(double size, double usual, double move) {
  return size <= kNoise * usual && move >= kNoDigits * size;
}

}  // namespace ws
