#include "runtime/judge/compare.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>

#include "runtime/judge/layout.h"

namespace ws {
namespace {

constexpr std::int64_t kShortRow = 16;  // Fewer elements say little about the usual size.

/// Root mean square of the finite values; scaled on the way, so that f64 squares cannot overflow.
class ScaleSum {
 public:
  void add(std::span<const double> values) {
    double most = largest_;
    for (const double value : values) {
      most = std::isfinite(value) ? std::max(most, std::abs(value)) : most;
    }
    if (most == 0) {
      count_ += static_cast<double>(values.size());
      return;
    }
    sum_ *= (largest_ / most) * (largest_ / most);
    largest_ = most;
    for (const double value : values) {
      const double part = std::isfinite(value) ? value / most : 0;
      sum_ += part * part;
    }
    count_ += static_cast<double>(values.size());
  }

  [[nodiscard]] double rms() const { return count_ == 0 ? 0 : largest_ * std::sqrt(sum_ / count_); }

 private:
  double largest_ = 0;
  double sum_ = 0;  ///< Of squares over largest_^2.
  double count_ = 0;
};

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

class Comparer {
 public:
  Comparer(const BufferSpec& spec, std::span<const std::byte> got, std::span<const std::byte> want,
           const ErrorBound& bound, const Poison* poison)
      : spec_(spec),
        view_(spec),
        got_(got),
        want_(want),
        bound_(bound),
        poison_(poison),
        size_(size_of(spec.type)),
        got_row_(static_cast<std::size_t>(view_.columns())),
        want_row_(got_row_.size()) {
    bound_.exact = bound_.exact || !is_float(spec.type);
  }

  Comparison run() {
    result_.elements = spec_.elements;
    for (std::int64_t row = 0; row < view_.rows(); ++row) {
      if (!same_bytes(row)) {
        compare_row(row);
      }
    }
    if (poison_ != nullptr) {
      result_.touched_gap = poison_->first_gap_change(spec_, got_);
    }
    return std::move(result_);
  }

 private:
  [[nodiscard]] bool same_bytes(std::int64_t row) const {
    const auto first = static_cast<std::size_t>(view_.row_offset(row)) * size_;
    const auto length = static_cast<std::size_t>(view_.columns()) * size_;
    return view_.column_stride() == 1 &&
           std::memcmp(got_.data() + first, want_.data() + first, length) == 0;
  }

  void compare_row(std::int64_t row) {
    const std::int64_t first = view_.row_offset(row);
    load_row(spec_.type, got_.data(), first, view_.column_stride(), got_row_);
    load_row(spec_.type, want_.data(), first, view_.column_stride(), want_row_);
    const double scale = scale_of_row();
    for (std::int64_t column = 0; column < view_.columns(); ++column) {
      const auto at = static_cast<std::size_t>(column);
      compare_element(row * view_.columns() + column, first + column * view_.column_stride(),
                      got_row_[at], want_row_[at], scale);
    }
  }

  double scale_of_row() {
    ScaleSum sum;
    sum.add(want_row_);
    const double own = sum.rms();
    return view_.columns() >= kShortRow && own > 0 ? own : scale_of_output();
  }

  double scale_of_output() {
    if (!whole_scale_) {
      ScaleSum sum;
      std::vector<double> line(want_row_.size());
      for (std::int64_t row = 0; row < view_.rows(); ++row) {
        load_row(spec_.type, want_.data(), view_.row_offset(row), view_.column_stride(), line);
        sum.add(line);
      }
      whole_scale_ = sum.rms();
    }
    return *whole_scale_;
  }

  void compare_element(std::int64_t element, std::int64_t offset, double got, double want,
                       double scale) {
    const NumberClass kind = class_of(want);
    if (class_of(got) != kind) {
      return note_wrong(element, offset, got, want, std::numeric_limits<double>::infinity());
    }
    if (kind != NumberClass::kFinite) {
      return;
    }
    const double error = std::abs(got - want);
    const double size = std::max(std::abs(want), scale);
    result_.max_abs_error = std::max(result_.max_abs_error, error);
    if (error > 0 && size > 0) {
      result_.max_rel_error = std::max(result_.max_rel_error, error / size);
    }
    if (bound_.exact) {
      if (error > 0 || !same_integer(offset)) {
        note_wrong(element, offset, got, want, std::max(error, 1.0));
      }
      return;
    }
    const double allowed = bound_.atol * scale + bound_.rtol * std::abs(want);
    if (error > allowed) {
      note_wrong(element, offset, got, want, allowed > 0 ? error / allowed : error);
    }
  }

  /// Integers beyond 2^53 can differ and still be equal as doubles.
  [[nodiscard]] bool same_integer(std::int64_t offset) const {
    const std::size_t at = static_cast<std::size_t>(offset) * size_;
    return is_float(spec_.type) || std::memcmp(got_.data() + at, want_.data() + at, size_) == 0;
  }

  void note_wrong(std::int64_t element, std::int64_t offset, double got, double want,
                  double excess) {
    if (result_.wrong.empty()) {
      result_.wrong.resize(static_cast<std::size_t>(spec_.elements), false);
    }
    result_.wrong[static_cast<std::size_t>(element)] = true;
    ++result_.mismatches;
    if (poison_ != nullptr && poison_->holds(got_.data(), offset)) {
      ++result_.unwritten;
    } else if (std::isinf(excess)) {
      ++result_.class_mismatches;
    }
    if (!result_.worst || excess > result_.max_excess) {
      result_.max_excess = excess;
      result_.worst = WorstElement{view_.index_of(element), got, want};
    }
  }

  const BufferSpec& spec_;
  RowView view_;
  std::span<const std::byte> got_;
  std::span<const std::byte> want_;
  ErrorBound bound_;
  const Poison* poison_;
  std::size_t size_;
  std::vector<double> got_row_;
  std::vector<double> want_row_;
  std::optional<double> whole_scale_;
  Comparison result_;
};

}  // namespace

std::string_view Comparison::verdict() const {
  if (touched_gap) {
    return "out_of_bounds";
  }
  if (class_mismatches > 0) {
    return "incorrect_nan";
  }
  return mismatches > 0 ? "incorrect" : "passed";
}

Comparison compare(const BufferSpec& spec, std::span<const std::byte> got,
                   std::span<const std::byte> want, const ErrorBound& bound, const Poison* poison) {
  return Comparer(spec, got, want, bound, poison).run();
}

}  // namespace ws
