#include "runtime/judge/draws_sparse.h"

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "runtime/base/mix64.h"
#include "runtime/base/numbers.h"
#include "runtime/base/parallel.h"
#include "runtime/judge/fills.h"
#include "runtime/judge/paint.h"
#include "runtime/judge/random.h"

namespace ws {
namespace {

constexpr std::uint64_t kOneEmpty = 16;  ///< One row of so many has no values,
constexpr std::uint64_t kOneLong = 64;   ///< and one is this many times as long:
constexpr double kLong = 32;
/// Rows that one core draws at a time.
constexpr std::int64_t kRowsAtOnce = 1024;

struct CsrShape {
  std::int64_t rows = 0;
  std::int64_t columns = 0;
  std::int64_t nonzeros = 0;
};

tl::unexpected<Error> bad_input(const ArgSpec& arg, const std::string& message) {
  return fail(ErrorCode::kInvalidArgument, "argument \"" + arg.name + "\": " + message);
}

Status check_fits(const ArgSpec& arg, double low, double high) {
  const Bounds bounds = bounds_of(arg);
  return bounds.contains(low) && bounds.contains(high)
             ? Status()
             : Status(bad_input(
                   arg, "whole numbers from " + std::to_string(static_cast<std::int64_t>(low)) +
                            " to " + std::to_string(static_cast<std::int64_t>(high)) +
                            " do not fit " + std::string(name_of(arg.type)) + " and the domain"));
}

/// @param arg  With numbers in its fill.
Result<CsrShape> csr_shape(const ArgSpec& arg, const BufferSpec& spec, Random& random) {
  const FillRow& row = *find_fill(arg.fill.kind);
  const double columns = fill_param(arg, row, "columns");
  const double most = fill_param(arg, row, "nonzeros");
  const double sent = fill_param(arg, row, "fewest");
  const double fewest = std::isnan(sent) ? most : sent;
  const std::int64_t rows = std::max<std::int64_t>(spec.elements - 1, 0);
  const bool fits = fewest >= 0 && fewest <= most && columns >= 0 &&
                    most <= static_cast<double>(rows) * columns;  // False for NaN.
  if (!fits) {
    return bad_input(arg, significant_digits(fewest, 15) + " to " + significant_digits(most, 15) +
                              " values do not fit into " + std::to_string(rows) + " rows and " +
                              significant_digits(columns, 15) + " columns");
  }
  const auto choices = static_cast<std::uint64_t>(most - fewest) + 1;
  return CsrShape{
      rows, static_cast<std::int64_t>(columns),
      static_cast<std::int64_t>(fewest) + static_cast<std::int64_t>(random.below(choices))};
}

/// The share of the values that each row should have.
std::vector<double> row_weights(std::int64_t rows, Random& random) {
  std::vector<double> weights(static_cast<std::size_t>(rows));
  for (double& weight : weights) {
    const double usual = std::exp(random.normal());
    const bool empty = random.below(kOneEmpty) == 0;
    weight = empty ? 0 : random.below(kOneLong) == 0 ? kLong * usual : usual;
  }
  return weights;
}

/// How many values each row has: by its weight, as far as it has places; the others go to rows that
/// have some left, from a random one on.
std::vector<std::int64_t> row_lengths(const CsrShape& shape, Random& random) {
  const std::vector<double> weights = row_weights(shape.rows, random);
  double sum = 0;
  for (const double weight : weights) {
    sum += weight;
  }
  std::vector<std::int64_t> lengths(weights.size(), 0);
  std::int64_t left = shape.nonzeros;
  for (std::size_t i = 0; i < weights.size() && sum > 0; ++i) {
    const double share = weights[i] / sum * static_cast<double>(shape.nonzeros);
    lengths[i] = std::min({static_cast<std::int64_t>(share), shape.columns, left});
    left -= lengths[i];
  }
  const std::size_t first = lengths.empty() ? 0 : random.below(lengths.size());
  for (std::int64_t most = 1; left > 0; most *= 2) {
    for (std::size_t i = 0; i < lengths.size() && left > 0; ++i) {
      const std::size_t row = (first + i) % lengths.size();
      if (weights[row] == 0 && most < shape.columns) {
        continue;  // A row that is to be empty is filled last.
      }
      const std::int64_t more = std::min({most, shape.columns - lengths[row], left});
      lengths[row] += more;
      left -= more;
    }
  }
  return lengths;
}

/// @param arg  With numbers in its fill.
Result<std::vector<std::int64_t>> row_offsets(const ArgSpec& arg, const BufferSpec& spec,
                                              std::uint64_t seed) {
  Random random(seed);
  WS_TRY(const CsrShape shape, csr_shape(arg, spec, random));
  WS_CHECK(check_fits(arg, 0, static_cast<double>(shape.nonzeros)));
  std::vector<std::int64_t> offsets(static_cast<std::size_t>(spec.elements), 0);
  if (shape.rows > 0) {
    const std::vector<std::int64_t> lengths = row_lengths(shape, random);
    for (std::size_t i = 0; i < lengths.size(); ++i) {
      offsets[i + 1] = offsets[i] + lengths[i];
    }
  }
  return offsets;
}

/// `count` different numbers from 0 to choices - 1, ascending: numbers that may be equal, each
/// moved on by its place.
std::vector<std::int64_t> different_numbers(std::int64_t count, std::int64_t choices,
                                            Random& random) {
  std::vector<std::int64_t> numbers(static_cast<std::size_t>(count));
  const auto apart = static_cast<std::uint64_t>(choices - count + 1);
  for (std::int64_t& number : numbers) {
    number = static_cast<std::int64_t>(random.below(apart));
  }
  std::sort(numbers.begin(), numbers.end());
  for (std::size_t i = 0; i < numbers.size(); ++i) {
    numbers[i] += static_cast<std::int64_t>(i);
  }
  return numbers;
}

/// Stores `count` different numbers from `low` on as the elements from `first` on.
void paint_different(const Canvas& canvas, const RowView& view, std::int64_t first,
                     std::int64_t count, std::int64_t low, std::int64_t choices,
                     std::uint64_t row) {
  Random random(mix64(canvas.seed + row));
  for (const std::int64_t number : different_numbers(count, choices, random)) {
    store_element(canvas.spec.type, canvas.bytes.data(),
                  static_cast<std::size_t>(view.offset_of(first++)),
                  static_cast<double>(low + number));
  }
}

/// Calls paint(row) for each row, on all cores.
template <typename Paint>
void for_each_row(std::int64_t rows, const Paint& paint) {
  const auto parts = static_cast<std::size_t>((rows + kRowsAtOnce - 1) / kRowsAtOnce);
  parallel_for(parts, [&](std::size_t part) {
    const std::int64_t begin = static_cast<std::int64_t>(part) * kRowsAtOnce;
    for (std::int64_t row = begin; row < std::min(rows, begin + kRowsAtOnce); ++row) {
      paint(row);
    }
  });
}

}  // namespace

Status draw_csr_offsets(const Canvas& canvas) {
  WS_TRY(const std::vector<std::int64_t> offsets,
         row_offsets(canvas.arg, canvas.spec, canvas.seed));
  auto next = offsets.begin();
  paint(canvas, [&](auto, auto) { return static_cast<double>(*next++); });
  return {};
}

Status draw_csr_columns(const Canvas& canvas, const OffsetsOf& offsets, std::uint64_t their_seed) {
  const ArgSpec declared = with_fill_sizes(offsets.arg, offsets.spec);
  WS_TRY(const std::vector<std::int64_t> starts, row_offsets(declared, offsets.spec, their_seed));
  const auto columns =
      static_cast<std::int64_t>(fill_param(declared, *find_fill(declared.fill.kind), "columns"));
  const std::int64_t used = starts.empty() ? 0 : starts.back();
  if (used > canvas.spec.elements) {
    return bad_input(canvas.arg, std::to_string(canvas.spec.elements) + " elements for " +
                                     std::to_string(used) + " values of the matrix");
  }
  if (canvas.spec.elements == 0 || columns == 0) {
    return {};
  }
  WS_CHECK(check_fits(canvas.arg, 0, static_cast<double>(columns - 1)));
  const RowView view(canvas.spec);
  for_each_row(static_cast<std::int64_t>(starts.size()) - 1, [&](std::int64_t row) {
    const auto at = static_cast<std::size_t>(row);
    paint_different(canvas, view, starts[at], starts[at + 1] - starts[at], 0, columns, at);
  });
  Random random(canvas.seed);
  for (std::int64_t i = used; i < canvas.spec.elements; ++i) {
    store_element(canvas.spec.type, canvas.bytes.data(),
                  static_cast<std::size_t>(view.offset_of(i)),
                  static_cast<double>(random.below(static_cast<std::uint64_t>(columns))));
  }
  return {};
}

Status draw_sorted_indices(const Canvas& canvas, double low, double high) {
  const RowView view(canvas.spec);
  const std::int64_t length = view.columns();
  const double end = std::isnan(high) ? low + 2 * static_cast<double>(length) : high;
  if (canvas.spec.elements == 0) {
    return {};
  }
  if (end - low < static_cast<double>(length)) {
    return bad_input(canvas.arg, "rows of " + std::to_string(length) + " different numbers from " +
                                     significant_digits(low, 15) + " to " +
                                     significant_digits(end - 1, 15));
  }
  WS_CHECK(check_fits(canvas.arg, low, end - 1));
  const auto first = static_cast<std::int64_t>(low);
  for (std::int64_t row = 0; row < view.rows(); ++row) {
    paint_different(canvas, view, row * length, length, first, static_cast<std::int64_t>(end - low),
                    static_cast<std::uint64_t>(row));
  }
  return {};
}

}  // namespace ws
