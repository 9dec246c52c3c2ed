#include "runtime/judge/unordered.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "runtime/judge/conditioning.h"
#include "runtime/judge/unordered_pairs.h"

namespace ws {
namespace {

/// The outputs whose rows belong together: whole numbers first, as rounding does not move them.
std::vector<std::size_t> together(const Problem& problem, const std::vector<BufferSpec>& buffers,
                                  std::size_t index) {
  const ArgSpec& arg = *problem.find_arg(buffers[index].name);
  const std::string& leader = belongs_to_another(arg) ? arg.unordered->with : arg.name;
  std::vector<std::size_t> found;
  for (std::size_t i = 0; i < buffers.size(); ++i) {
    const ArgSpec* const other = problem.find_arg(buffers[i].name);
    if (other != nullptr && other->unordered &&
        (other->name == leader || other->unordered->with == leader)) {
      found.push_back(i);
    }
  }
  std::ranges::stable_partition(found, [&](std::size_t i) { return !is_float(buffers[i].type); });
  return found;
}

/// How many rows the launch said there are.
std::int64_t rows_said(const ArgSpec& arg, const std::vector<BufferSpec>& buffers,
                       std::int64_t room, const BufferBytes& bytes) {
  for (std::size_t i = 0; i < buffers.size(); ++i) {
    if (buffers[i].name == arg.unordered->count && buffers[i].elements > 0) {
      const double said = element_of(buffers[i], bytes(i), 0);
      return said >= 0x1p63 ? std::numeric_limits<std::int64_t>::max()
                            : static_cast<std::int64_t>(said);
    }
  }
  return room;
}

/// The first `rows` rows in ascending order.
std::vector<std::int64_t> sorted_places(const std::vector<BufferSpec>& specs,
                                        const std::vector<std::span<const std::byte>>& bytes,
                                        std::int64_t rows) {
  struct Keyed {
    double key;  ///< The row's first element: most comparisons need no more.
    std::int64_t row;
  };

  const std::int64_t length = row_length(specs.front());
  std::vector<Keyed> keyed;
  keyed.reserve(static_cast<std::size_t>(rows));
  for (std::int64_t row = 0; row < rows; ++row) {
    const double key = length == 0 ? 0 : element_of(specs.front(), bytes.front(), row * length);
    keyed.push_back({std::isnan(key) ? std::numeric_limits<double>::infinity() : key, row});
  }
  std::ranges::sort(keyed, [&](const Keyed& a, const Keyed& b) {
    return a.key != b.key ? a.key < b.key
                          : order_of_rows(specs, {bytes, a.row}, {bytes, b.row}) < 0;
  });
  std::vector<std::int64_t> places;
  places.reserve(keyed.size());
  for (const Keyed& each : keyed) {
    places.push_back(each.row);
  }
  return places;
}

}  // namespace

BufferSpec with_rows(BufferSpec spec, std::int64_t rows) {
  spec.elements = rows * row_length(spec);
  spec.shape.front() = rows;
  spec.span = spec.elements;
  return spec;
}

bool has_any_order(const Problem& problem, const std::string& name) {
  const ArgSpec* const arg = problem.find_arg(name);
  return arg != nullptr && arg->unordered.has_value();
}

bool belongs_to_another(const ArgSpec& arg) {
  return arg.unordered && !arg.unordered->with.empty();
}

SortedRows sorted_rows(const Problem& problem, const std::vector<BufferSpec>& buffers,
                       std::size_t index, const BufferBytes& bytes) {
  SortedRows sorted;
  sorted.buffers = together(problem, buffers, index);
  sorted.room = buffers[index].shape.front();
  sorted.said = rows_said(*problem.find_arg(buffers[index].name), buffers, sorted.room, bytes);
  // The worker may write to its memory, and sorting needs values that stay.
  std::vector<std::vector<std::byte>> copies;
  for (const std::size_t buffer : sorted.buffers) {
    sorted.specs.push_back(buffers[buffer]);
    const std::span<const std::byte> part = bytes(buffer);
    copies.emplace_back(part.begin(), part.end());
  }
  sorted.places = sorted_places(sorted.specs, {copies.begin(), copies.end()},
                                std::clamp<std::int64_t>(sorted.said, 0, sorted.room));
  sorted.own = bytes(index);
  for (std::size_t i = 0; i < copies.size(); ++i) {
    BufferSpec& spec = sorted.specs[i];
    const std::size_t row_bytes = static_cast<std::size_t>(row_length(spec)) * size_of(spec.type);
    sorted.bytes.push_back(rows_at(copies[i], row_bytes, sorted.places));
    spec = with_rows(spec, sorted.rows());
  }
  return sorted;
}

bool in_range(const SortedRows& rows) {
  for (std::size_t i = 0; i < rows.specs.size(); ++i) {
    if (!examine_reference(rows.specs[i], rows.bytes[i]).in_range) {
      return false;
    }
  }
  return true;
}

std::vector<ErrorBound> bounds_of_rows(const Problem& problem,
                                       const std::vector<BufferSpec>& buffers,
                                       const SortedRows& want, const BoundOfRows& bound_of) {
  std::vector<ErrorBound> bounds;
  for (std::size_t i = 0; i < want.specs.size(); ++i) {
    ErrorBound bound = bound_of({*problem.find_arg(want.specs[i].name), buffers[want.buffers[i]],
                                 want.specs[i], want.bytes[i]});
    bound.exact = bound.exact || !is_float(want.specs[i].type);
    if (!bound.exact && !shows_size(want.specs[i], want.bytes[i])) {
      bound.lone = largest_finite(want.specs[i], want.bytes[i]);
    }
    bounds.push_back(bound);
  }
  return bounds;
}

RowsComparison compare_any_order(const Problem& problem, const std::vector<BufferSpec>& buffers,
                                 std::size_t index, const BufferBytes& got, const BufferBytes& want,
                                 const BoundOfRows& bound_of, const Poison* poison) {
  const SortedRows expected = sorted_rows(problem, buffers, index, want);
  return compare_rows(*problem.find_arg(buffers[index].name),
                      sorted_rows(problem, buffers, index, got), expected,
                      bounds_of_rows(problem, buffers, expected, bound_of), poison);
}

}  // namespace ws
