// Outputs whose rows may come in any order: what a compaction with atomics or a join writes. Rows
// are the items of the first dimension; those of several outputs may belong together (`with`), and
// an output of one element may say how many of them count.
//
// Both sides are sorted, then matched row by row: rows whose elements are all within their bound
// are the same. The rows that are left over are the answer: which ones are missing, and which ones
// nobody asked for.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "runtime/judge/compare.h"
#include "runtime/judge/pattern.h"
#include "runtime/judge/poison.h"
#include "runtime/judge/tolerance.h"
#include "runtime/kernel/plan/plan.h"
#include "runtime/kernel/problem.h"

namespace ws {

/// The bytes of a launch's buffers, by their index in the plan.
using BufferBytes = std::function<std::span<const std::byte>(std::size_t)>;

/// An output of the reference: as its plan has it, and its rows that count.
struct CountedOutput {
  const ArgSpec& arg;
  const BufferSpec& whole;
  const BufferSpec& counted;
  std::span<const std::byte> bytes;  ///< Those of `counted`.
};

using BoundOfRows = std::function<ErrorBound(const CountedOutput& output)>;

/// The rows of an output that count, sorted.
struct SortedRows {
  std::vector<std::size_t> buffers;           ///< The output's and those whose rows belong to it.
  std::vector<BufferSpec> specs;              ///< Their layouts, with the rows that count.
  std::vector<std::vector<std::byte>> bytes;  ///< The rows of each of them.
  std::vector<std::int64_t> places;           ///< Where each row stood.
  std::span<const std::byte> own;             ///< The output's bytes as they were.
  std::int64_t said = 0;                      ///< How many rows the launch said there are.
  std::int64_t room = 0;                      ///< How many there can be.

  [[nodiscard]] std::int64_t rows() const { return static_cast<std::int64_t>(places.size()); }

  [[nodiscard]] bool fits() const { return said >= 0 && said <= room; }
};

/// @param index  Of an output without order, in `buffers`.
SortedRows sorted_rows(const Problem& problem, const std::vector<BufferSpec>& buffers,
                       std::size_t index, const BufferBytes& bytes);

/// Whether all values of the rows that count are finite and in range, as examine_reference says.
bool in_range(const SortedRows& rows);

/// The rows of two launches, compared.
struct RowsComparison {
  Agreement agreement = Agreement::kSame;
  Comparison comparison;    ///< Mismatches are rows that are missing or surplus, times its columns.
  MismatchPattern pattern;  ///< The reason why it is not kSame.
};

/// A search for partners ends after so many elements, which is some seconds. Right kernels get
/// there where coarse types make each of hundreds of thousands of rows alike to thousands of
/// others.
inline constexpr std::int64_t kMostCompared = std::int64_t{1} << 28U;

/// @param poison  What lay in the output before the launch; may be null.
RowsComparison compare_rows(const ArgSpec& output, const SortedRows& got, const SortedRows& want,
                            const std::vector<ErrorBound>& bounds, const Poison* poison = nullptr,
                            std::int64_t most_compared = kMostCompared);

/// The bound of each output of `want`, which has rows of `buffers`.
std::vector<ErrorBound> bounds_of_rows(const Problem& problem,
                                       const std::vector<BufferSpec>& buffers,
                                       const SortedRows& want, const BoundOfRows& bound_of);

/// The rows of an output without order in two launches.
RowsComparison compare_any_order(const Problem& problem, const std::vector<BufferSpec>& buffers,
                                 std::size_t index, const BufferBytes& got, const BufferBytes& want,
                                 const BoundOfRows& bound_of, const Poison* poison = nullptr);

/// An output with fewer rows. @param spec  Without strides of its own.
BufferSpec with_rows(BufferSpec spec, std::int64_t rows);

/// Whether the rows of the problem's argument `name` may come in any order.
bool has_any_order(const Problem& problem, const std::string& name);

/// Whether an output is judged with the one that it belongs to.
bool belongs_to_another(const ArgSpec& arg);

}  // namespace ws
