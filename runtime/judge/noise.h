// Rows of a reference that are zero but for its own rounding: their values have no digits, and no
// kernel can give the same ones. They are judged as rows of zeros.
#pragma once

namespace ws {

/// A row that is smaller than this share of the output's usual size may be what rounding in f64
/// left of zeros.
inline constexpr double kNoise = 0x1p-40;

/// It is, where its elements together moved (RowSlack::moves()) by at least this share of its size:
/// rounding made other numbers of the whole row, not of a few ill-conditioned elements.
inline constexpr double kNoDigits = 1.0 / 2;

/// @param size   The row's. @param usual  The size that rows of the output usually have.
/// @param move   The row's.
inline bool is_noise(double size, double usual, double move) {
  return size <= kNoise * usual && move >= kNoDigits * size;
}

}  // namespace ws
