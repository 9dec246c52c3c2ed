#include "runtime/judge/compare.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <mutex>

#include "runtime/base/parallel.h"
#include "runtime/judge/conditioning.h"
#include "runtime/judge/layout.h"
#include "runtime/judge/noise.h"
#include "runtime/judge/row_scale.h"

namespace ws {
namespace {

/// Compared by one core at a time: some milliseconds.
constexpr std::int64_t kPieceElements = std::int64_t{1} << 17U;

enum class NumberClass : std::uint8_t { kFinite, kNan, kPlusInf, kMinusInf };

NumberClass class_of(double value) {
  if (std::isfinite(value)) {
    return NumberClass::kFinite;
  }
  if (std::isnan(value)) {
    return NumberClass::kNan;
  }
  return value > 0 ? NumberClass::kPlusInf : NumberClass::kMinusInf;
}

/// The data that all pieces read.
struct Sides {
  const BufferSpec& spec;
  RowView view;
  std::span<const std::byte> got;
  std::span<const std::byte> want;
  ErrorBound bound;
  const Poison* poison;
  const Slack& slack;
  std::size_t size;  ///< The size of an element.
};

/// Whole rows, or a part of one row that is longer than a piece.
struct Piece {
  std::int64_t row_begin = 0;
  std::int64_t row_end = 0;
  std::int64_t column_begin = 0;
  std::int64_t column_end = 0;
};

/// Neighbours from element `first` on are the same on both sides.
bool same_bytes(const Sides& sides, std::int64_t first, std::int64_t count) {
  const std::size_t at = static_cast<std::size_t>(first) * sides.size;
  return sides.view.column_stride() == 1 &&
         std::memcmp(sides.got.data() + at, sides.want.data() + at,
                     static_cast<std::size_t>(count) * sides.size) == 0;
}

/// Usual sizes of reference values, by row and over all. Any thread.
class Scales {
 public:
  explicit Scales(const Sides& sides)
      : sides_(sides) {}

  /// The scale of a row whose values are `own`.
  RowScale of_row(const ScaleSum& own) {
    return scale_of_row(own, sides_.view.columns(), sides_.bound,
                        [this]() -> const ScaleSum& { return of_output(); });
  }

  /// The size of a row that is not smaller than the output's rows usually are.
  double wide(const RowScale& row) {
    return std::max({row.usual, of_output().rms(), sides_.slack.usual});
  }

  [[nodiscard]] ScaleSum sum_of(const Piece& piece) const {
    ScaleSum sum;
    std::vector<double> line(static_cast<std::size_t>(piece.column_end - piece.column_begin));
    for (std::int64_t row = piece.row_begin; row < piece.row_end; ++row) {
      load_row(sides_.spec.type, sides_.want.data(),
               sides_.view.row_offset(row) + piece.column_begin * sides_.view.column_stride(),
               sides_.view.column_stride(), line);
      sum.add(line);
    }
    return sum;
  }

 private:
  const ScaleSum& of_output() {
    std::call_once(once_,
                   [this] { whole_ = sum_of({0, sides_.view.rows(), 0, sides_.view.columns()}); });
    return whole_;
  }

  const Sides& sides_;
  std::once_flag once_;
  ScaleSum whole_;
};

/// Compares one piece.
class Comparer {
 public:
  /// @param scale  Of the row that the piece is a part of; nothing: of each row by itself.
  Comparer(const Sides& sides, Scales& scales, const Piece& piece, std::optional<RowScale> scale)
      : sides_(sides),
        scales_(scales),
        piece_(piece),
        scale_(scale),
        got_row_(static_cast<std::size_t>(piece.column_end - piece.column_begin)),
        want_row_(got_row_.size()) {}

  Comparison run() {
    for (std::int64_t row = piece_.row_begin; row < piece_.row_end; ++row) {
      if (!same_bytes(sides_, offset_of(row), piece_.column_end - piece_.column_begin)) {
        compare_row(row);
      }
    }
    return std::move(result_);
  }

 private:
  [[nodiscard]] std::int64_t offset_of(std::int64_t row) const {
    return sides_.view.row_offset(row) + piece_.column_begin * sides_.view.column_stride();
  }

  void compare_row(std::int64_t row) {
    const std::int64_t first = offset_of(row);
    const std::int64_t stride = sides_.view.column_stride();
    load_row(sides_.spec.type, sides_.got.data(), first, stride, got_row_);
    load_row(sides_.spec.type, sides_.want.data(), first, stride, want_row_);
    const RowScale scale = scale_ ? *scale_ : own_scale();
    row_ = static_cast<std::size_t>(row);
    const std::int64_t element = row * sides_.view.columns() + piece_.column_begin;
    for (std::size_t i = 0; i < got_row_.size(); ++i) {
      const auto column = static_cast<std::int64_t>(i);
      compare_element(element + column, first + column * stride, got_row_[i], want_row_[i], scale);
    }
  }

  RowScale own_scale() {
    ScaleSum sum;
    sum.add(want_row_);
    return scales_.of_row(sum);
  }

  void compare_element(std::int64_t element, std::int64_t offset, double got, double want,
                       const RowScale& scale) {
    const NumberClass kind = class_of(want);
    if (class_of(got) != kind) {
      return note_wrong(element, offset, got, want, std::numeric_limits<double>::infinity());
    }
    if (kind != NumberClass::kFinite) {
      return;
    }
    const double error = std::abs(got - want);
    const double size = std::max(std::abs(want), scale.usual);
    result_.max_abs_error = std::max(result_.max_abs_error, error);
    if (error > 0 && size > 0) {
      result_.max_rel_error = std::max(result_.max_rel_error, error / size);
    }
    if (sides_.bound.exact) {
      if (error > 0 || !same_integer(offset)) {
        note_wrong(element, offset, got, want, std::max(error, 1.0));
      }
      return;
    }
    const double own = sides_.bound.rtol * std::abs(want) + scale.hidden;
    double allowed = sides_.bound.atol * scale.usual + own;
    if (error <= allowed) {
      return;
    }
    const double wide = scales_.wide(scale);
    const double usual = sides_.bound.atol * wide + own;
    allowed += slack_of(element, usual, std::max(std::abs(want), wide));
    const std::span<const double> moves = sides_.slack.moves;
    if (!moves.empty() && is_noise(scale.usual, wide, moves[row_])) {
      allowed = std::max(allowed, usual);
    }
    if (error > allowed) {
      note_wrong(element, offset, got, want, allowed > 0 ? error / allowed : error);
      result_.max_wide_excess =
          std::max(result_.max_wide_excess, usual > 0 ? error / usual : error);
    }
  }

  /// @param usual  The bound that the element had in a row of the usual size. @param size  That.
  [[nodiscard]] double slack_of(std::int64_t element, double usual, double size) const {
    const Slack& slack = sides_.slack;
    const double row = slack.rows.empty() ? 0 : slack.rows[row_];
    const double own = slack.own.empty() ? 0 : slack.own[static_cast<std::size_t>(element)];
    return std::max(std::min(row, (kMostWidened - 1) * usual), std::min(own, kMostMoved * size));
  }

  /// Integers beyond 2^53 can differ and still be equal as doubles.
  [[nodiscard]] bool same_integer(std::int64_t offset) const {
    const std::size_t at = static_cast<std::size_t>(offset) * sides_.size;
    return is_float(sides_.spec.type) ||
           std::memcmp(sides_.got.data() + at, sides_.want.data() + at, sides_.size) == 0;
  }

  void note_wrong(std::int64_t element, std::int64_t offset, double got, double want,
                  double excess) {
    const std::int64_t first = piece_.row_begin * sides_.view.columns() + piece_.column_begin;
    if (result_.wrong.empty()) {
      const std::int64_t rows = piece_.row_end - piece_.row_begin;
      result_.wrong.resize(static_cast<std::size_t>(rows) * got_row_.size(), false);
    }
    result_.wrong[static_cast<std::size_t>(element - first)] = true;
    ++result_.mismatches;
    if (still_poisoned(offset)) {
      ++result_.unwritten;
    } else if (std::isinf(excess)) {
      ++result_.class_mismatches;
    }
    if (!result_.worst || excess > result_.max_excess) {
      result_.max_excess = excess;
      result_.worst = WorstElement{sides_.view.index_of(element), got, want};
    }
  }

  /// The reader is made for the first wrong element: most pieces have none.
  [[nodiscard]] bool still_poisoned(std::int64_t offset) {
    if (sides_.poison == nullptr) {
      return false;
    }
    if (!poison_) {
      poison_.emplace(*sides_.poison);
    }
    return poison_->holds(sides_.got.data(), offset);
  }

  const Sides& sides_;
  Scales& scales_;
  Piece piece_;
  std::optional<PoisonReader> poison_;
  std::optional<RowScale> scale_;
  std::size_t row_ = 0;  // The row that is compared.
  std::vector<double> got_row_;
  std::vector<double> want_row_;
  Comparison result_;  // `wrong` by the piece's own elements.
};

/// Adds what a piece found; pieces come in order, so that the first of equally bad ones stays.
void add_piece(const Sides& sides, const Piece& piece, Comparison part, Comparison& whole) {
  whole.mismatches += part.mismatches;
  whole.class_mismatches += part.class_mismatches;
  whole.unwritten += part.unwritten;
  whole.max_abs_error = std::max(whole.max_abs_error, part.max_abs_error);
  whole.max_rel_error = std::max(whole.max_rel_error, part.max_rel_error);
  whole.max_wide_excess = std::max(whole.max_wide_excess, part.max_wide_excess);
  if (part.worst && (!whole.worst || part.max_excess > whole.max_excess)) {
    whole.max_excess = part.max_excess;
    whole.worst = std::move(part.worst);
  }
  if (part.wrong.empty()) {
    return;
  }
  if (whole.wrong.empty()) {
    whole.wrong.resize(static_cast<std::size_t>(sides.spec.elements), false);
  }
  const std::int64_t first = piece.row_begin * sides.view.columns() + piece.column_begin;
  std::copy(part.wrong.begin(), part.wrong.end(), whole.wrong.begin() + first);
}

/// Compares pieces on all cores.
void compare_pieces(const Sides& sides, Scales& scales, const std::vector<Piece>& pieces,
                    std::optional<RowScale> scale, Comparison& whole) {
  std::vector<Comparison> parts(pieces.size());
  parallel_for(pieces.size(),
               [&](std::size_t i) { parts[i] = Comparer(sides, scales, pieces[i], scale).run(); });
  for (std::size_t i = 0; i < pieces.size(); ++i) {
    add_piece(sides, pieces[i], std::move(parts[i]), whole);
  }
}

/// Rows that are longer than a piece: one after the other, each on all cores.
void compare_long_rows(const Sides& sides, Scales& scales, Comparison& whole) {
  for (std::int64_t row = 0; row < sides.view.rows(); ++row) {
    if (same_bytes(sides, sides.view.row_offset(row), sides.view.columns())) {
      continue;
    }
    std::vector<Piece> pieces;
    for (std::int64_t at = 0; at < sides.view.columns(); at += kPieceElements) {
      pieces.push_back({row, row + 1, at, std::min(at + kPieceElements, sides.view.columns())});
    }
    std::vector<ScaleSum> sums(pieces.size());
    parallel_for(pieces.size(), [&](std::size_t i) { sums[i] = scales.sum_of(pieces[i]); });
    ScaleSum sum;
    for (const ScaleSum& part : sums) {
      sum.add(part);
    }
    compare_pieces(sides, scales, pieces, scales.of_row(sum), whole);
  }
}

void compare_short_rows(const Sides& sides, Scales& scales, Comparison& whole) {
  const std::int64_t rows =
      std::max<std::int64_t>(1, kPieceElements / std::max<std::int64_t>(sides.view.columns(), 1));
  std::vector<Piece> pieces;
  for (std::int64_t at = 0; at < sides.view.rows(); at += rows) {
    pieces.push_back({at, std::min(at + rows, sides.view.rows()), 0, sides.view.columns()});
  }
  compare_pieces(sides, scales, pieces, std::nullopt, whole);
}

}  // namespace

Verdict Comparison::verdict() const {
  if (touched_gap) {
    return Verdict::kOutOfBounds;
  }
  if (class_mismatches > 0) {
    return Verdict::kIncorrectNan;
  }
  return mismatches > 0 ? Verdict::kIncorrect : Verdict::kPassed;
}

Comparison compare(const BufferSpec& spec, std::span<const std::byte> got,
                   std::span<const std::byte> want, const ErrorBound& bound, const Poison* poison,
                   const Slack& slack) {
  Sides sides{spec, RowView(spec), got, want, bound, poison, slack, size_of(spec.type)};
  sides.bound.exact = bound.exact || !is_float(spec.type);
  Scales scales(sides);
  Comparison whole;
  whole.elements = spec.elements;
  if (sides.view.columns() > kPieceElements) {
    compare_long_rows(sides, scales, whole);
  } else {
    compare_short_rows(sides, scales, whole);
  }
  if (poison != nullptr) {
    whole.touched_gap = poison->first_gap_change(spec, got);
  }
  return whole;
}

}  // namespace ws
