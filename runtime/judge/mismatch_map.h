// The mismatches of one output, counted and sampled for the pattern detectors.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "runtime/judge/compare.h"
#include "runtime/judge/layout.h"
#include "runtime/judge/mismatch_cells.h"
#include "runtime/judge/pattern.h"

namespace ws {

class MismatchMap {
 public:
  MismatchMap(const BufferSpec& spec, std::span<const std::byte> got,
              std::span<const std::byte> want, const Comparison& result,
              const std::vector<std::string>& shape);

  [[nodiscard]] const Comparison& result() const { return result_; }

  [[nodiscard]] DType type() const { return spec_.type; }

  /// Extents, outermost first.
  [[nodiscard]] const std::vector<std::int64_t>& extents() const { return spec_.shape; }

  /// The extents as written ("m", "n"); empty where that is not known.
  [[nodiscard]] const std::vector<std::string>& names() const { return shape_; }

  [[nodiscard]] std::int64_t rows() const { return view_.rows(); }

  [[nodiscard]] std::int64_t columns() const { return view_.columns(); }

  [[nodiscard]] std::int64_t elements() const { return spec_.elements; }

  [[nodiscard]] std::int64_t count() const { return result_.mismatches; }

  /// One row only: words speak of elements, not of columns.
  [[nodiscard]] bool is_line() const { return rows() == 1; }

  [[nodiscard]] bool wrong(std::int64_t element) const {
    return result_.wrong[static_cast<std::size_t>(element)];
  }

  /// Mismatches in each row and in each column.
  [[nodiscard]] const std::vector<std::int64_t>& by_row() const { return by_row_; }

  [[nodiscard]] const std::vector<std::int64_t>& by_column() const { return by_column_; }

  /// Smallest box around all mismatches.
  [[nodiscard]] const Box& box() const { return box_; }

  /// True when the box is mostly wrong, and not the whole output.
  [[nodiscard]] bool fills_a_box() const {
    return 4 * count() >= 3 * box_.area() && box_.area() < elements();
  }

  /// "rows 32 to 63, columns 0 to 31".
  [[nodiscard]] std::string box_words() const;

  /// " (rows 32 to 63, columns 0 to 31)" where the mismatches fill such a box, else "".
  [[nodiscard]] std::string place_words() const;

  /// At most 4096 mismatched elements, evenly taken.
  [[nodiscard]] const std::vector<std::int64_t>& sample() const { return sample_; }

  [[nodiscard]] double got(std::int64_t element) const { return load(got_, element); }

  [[nodiscard]] double want(std::int64_t element) const { return load(want_, element); }

  /// The size as written for the rows ("m") or columns ("n"), else its number.
  [[nodiscard]] std::string row_size() const;
  [[nodiscard]] std::string column_size() const;

  /// " and never written" when nearly all mismatches still hold the poison, else "".
  [[nodiscard]] std::string unwritten_words() const;

  [[nodiscard]] bool mostly_unwritten() const { return 100 * result_.unwritten >= 99 * count(); }

 private:
  [[nodiscard]] double load(std::span<const std::byte> bytes, std::int64_t element) const {
    return load_element(spec_.type, bytes.data(),
                        static_cast<std::size_t>(view_.offset_of(element)));
  }

  const BufferSpec& spec_;
  RowView view_;
  std::span<const std::byte> got_;
  std::span<const std::byte> want_;
  const Comparison& result_;
  const std::vector<std::string>& shape_;
  std::vector<std::int64_t> by_row_;
  std::vector<std::int64_t> by_column_;
  std::vector<std::int64_t> sample_;
  Box box_{};
};

/// "1 row", "3 rows".
std::string counted(std::int64_t count, const std::string& noun);

/// Fewer mismatches can agree with anything by chance.
inline constexpr std::int64_t kFewestAlike = 8;

/// The rows or the columns of an output, in words.
struct Axis {
  std::string noun;  ///< "column"
  std::string size;  ///< "n", or the number.
  std::int64_t extent;
};

Axis row_axis(const MismatchMap& map);
Axis column_axis(const MismatchMap& map);

/// Lines (rows or columns) of which at least half of the `length` elements are wrong.
std::vector<bool> bad_lines(const std::vector<std::int64_t>& counts, std::int64_t length);

/// Mismatches that lie in the bad lines.
std::int64_t held_by(const std::vector<bool>& bad, const std::vector<std::int64_t>& counts);

/// True when the bad lines hold nearly all of `all` mismatches.
bool covers(const std::vector<bool>& bad, const std::vector<std::int64_t>& counts,
            std::int64_t all);

// Detectors by place (pattern_place.cpp, pattern_period.cpp); each answers only when it is sure.
std::optional<MismatchPattern> find_tail(const MismatchMap& map);
std::optional<MismatchPattern> find_every_kth(const MismatchMap& map);
std::optional<MismatchPattern> find_single_element(const MismatchMap& map);
std::optional<MismatchPattern> find_one_block(const MismatchMap& map);

// Detectors by value (pattern_value.cpp).
std::optional<MismatchPattern> find_unwritten(const MismatchMap& map);
std::optional<MismatchPattern> find_not_finite(const MismatchMap& map);
std::optional<MismatchPattern> find_all_zero(const MismatchMap& map);
std::optional<MismatchPattern> find_transposed(const MismatchMap& map);
std::optional<MismatchPattern> find_shifted(const MismatchMap& map);

// Detectors by what the right values have become (pattern_ratio.cpp). A slight one takes errors of
// any size, if they agree much better than rounding does.
std::optional<MismatchPattern> find_constant_ratio(const MismatchMap& map);
std::optional<MismatchPattern> find_row_ratio(const MismatchMap& map);
std::optional<MismatchPattern> find_constant_offset(const MismatchMap& map);
std::optional<MismatchPattern> find_slight_ratio(const MismatchMap& map);
std::optional<MismatchPattern> find_slight_offset(const MismatchMap& map);

// Detectors of errors that rounding makes (pattern_rounding.cpp).
std::optional<MismatchPattern> find_imprecise(const MismatchMap& map);
std::optional<MismatchPattern> find_faint(const MismatchMap& map);

}  // namespace ws
