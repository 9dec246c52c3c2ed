// How certain a reference's own values are. If a problem is ill conditioned (two scores of a
// softmax that nearly tie, a difference of large sums), the rounding of any honest kernel is
// amplified, and a bound by type and length alone would call it a mistake. The reference itself
// shows the effect: its inputs are changed by as little as rounding would, and the change of its
// outputs is measured.
//
// Source: N. Higham, "Accuracy and Stability of Numerical Algorithms" (2002), 1.5 and 1.6: forward
// error <= condition number * backward error.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "runtime/kernel/plan/plan.h"

namespace ws {

/// The move of a row's elements excuses no error of an element that is more than this many times
/// the bound of tolerance.h at the output's usual size: the next lower precision is thousands of
/// times coarser.
inline constexpr double kMostWidened = 32;

/// An element's own move excuses up to this share of the output's usual size. Beyond it
/// rounding leaves no digits to judge by.
inline constexpr double kMostMoved = 1.0 / 16;

/// The relative size of what honest rounding amounts to, seen as a change of inputs: u * sqrt(K),
/// but 2 u to 16 u. The rounding of long sums is in the bound already, and what an ill-conditioned
/// problem amplifies are short ones: the dot product of a score. @param output  A float type.
double backward_error(DType output, double reduction_length);

/// Multiplies every element by 1 + relative or 1 - relative, at random. Types too coarse to hold
/// such a change, integers among them, stay as they are.
void nudge(const BufferSpec& spec, std::span<std::byte> bytes, double relative, std::uint64_t seed);

/// Multiplies every other element of each row by 65/64, or the next factor that the type can hold.
/// Integers stay as they are.
void scale_odd_columns(const BufferSpec& spec, std::span<std::byte> bytes);

/// Whether an output of a reference shows what size its elements usually have: at least
/// kTellingElements of them are not zero.
bool shows_size(const BufferSpec& spec, std::span<const std::byte> want);

/// Whether it shows what size its elements usually have on other draws, too: not where it has few
/// rows, as all of them may be scaled down.
bool shows_usual_size(const BufferSpec& spec, std::span<const std::byte> want);

/// The largest finite magnitude; 0 where there is none.
double largest_finite(const BufferSpec& spec, std::span<const std::byte> bytes);

/// The amounts by which the outputs of a reference moved, by element and row by row (RowView's
/// rows).
class RowSlack {
 public:
  /// @param want  The outputs of the inputs as drawn, as spec says; kept.
  RowSlack(const BufferSpec& spec, std::span<const std::byte> want);

  /// Takes in the outputs of nudged inputs. A row that is not finite any more says nothing.
  void add(std::span<const std::byte> moved);

  /// Whether some row may be what rounding left of zeros (noise.h), as it is so small beside the
  /// largest one, and no nudge has moved it as far as that takes: it may have stayed by chance.
  [[nodiscard]] bool is_undecided() const;

  /// Takes in the outputs of inputs that were nudged once more for moves() alone: more nudges would
  /// allow elements that have digits a larger error.
  void add_moves(std::span<const std::byte> moved);

  /// Takes in the outputs of inputs whose odd columns were scaled. A row in which an even column
  /// moved is a sum over its columns (a softmax, a norm): its elements may be off by what a naive
  /// sum of that length can cost.
  void add_sums(std::span<const std::byte> moved);

  /// By row: an element of it may be off by so much more.
  [[nodiscard]] const std::vector<double>& rows() const { return rows_; }

  /// By element, in row-major order: it moved by so much itself.
  [[nodiscard]] const std::vector<float>& own() const { return own_; }

  /// By row: by how much half of its elements moved at least, in the run that moved them most.
  [[nodiscard]] const std::vector<double>& moves() const { return moves_; }

  [[nodiscard]] std::span<const std::byte> want() const { return want_; }

 private:
  /// The amounts by which the elements of a row moved; empty: it is not finite any more.
  [[nodiscard]] std::vector<double> moved_by(std::int64_t row,
                                             std::span<const std::byte> moved) const;
  void note_move(std::int64_t row, std::vector<double> amounts);

  BufferSpec spec_;
  std::vector<std::byte> want_;
  std::vector<double> rows_;
  std::vector<float> own_;
  std::vector<double> moves_;
};

}  // namespace ws
