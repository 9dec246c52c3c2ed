// Sparse matrices and sorted indices as inputs.
#include <algorithm>
#include <optional>

#include <doctest/doctest.h>

#include "runtime/judge/inputs.h"
#include "runtime/judge/rotation.h"
#include "runtime/judge/test_buffers.h"

namespace ws {
namespace {

ArgSpec offsets_arg(DType type = DType::kI32) {
  ArgSpec arg;
  arg.name = "row_ptr";
  arg.type = type;
  arg.fill.kind = "csr_offsets";
  arg.fill.sizes = {{"columns", "cols"}, {"nonzeros", "nnz"}};
  return arg;
}

ArgSpec columns_arg(DType type = DType::kI32) {
  ArgSpec arg;
  arg.name = "col";
  arg.type = type;
  arg.fill.kind = "csr_columns";
  arg.fill.offsets = "row_ptr";
  return arg;
}

struct Matrix {
  std::int64_t rows;
  std::int64_t columns;
  std::int64_t nonzeros;
  std::int64_t room = 0;  ///< Elements of the column indices; 0: as nonzeros.
  std::optional<double> fewest = std::nullopt;
  DType type = DType::kI32;
};

struct Drawn {
  std::vector<double> offsets;
  std::vector<double> columns;
};

std::vector<double> values(const TestBuffer& buffer) {
  std::vector<double> all;
  for (std::int64_t i = 0; i < buffer.spec.elements; ++i) {
    all.push_back(buffer.get(i));
  }
  return all;
}

BufferSpec offsets_spec(const Matrix& matrix) {
  BufferSpec spec = dense_spec(matrix.type, {matrix.rows + 1});
  spec.name = "row_ptr";
  spec.fill_sizes = {{"columns", static_cast<double>(matrix.columns)},
                     {"nonzeros", static_cast<double>(matrix.nonzeros)}};
  if (matrix.fewest) {
    spec.fill_sizes["fewest"] = *matrix.fewest;
  }
  return spec;
}

Result<Drawn> try_draw(const Matrix& matrix, std::uint64_t seed) {
  const ArgSpec arg = offsets_arg(matrix.type);
  const ArgSpec of_columns = columns_arg(matrix.type);
  TestBuffer offsets(offsets_spec(matrix));
  WS_CHECK(fill_input(arg, offsets.spec, Distribution::kDeclared, seed, offsets.span()));
  TestBuffer columns(dense_spec(matrix.type, {matrix.room == 0 ? matrix.nonzeros : matrix.room}));
  const OffsetsOf tie{arg, offsets.spec};
  WS_CHECK(
      fill_input(of_columns, columns.spec, Distribution::kDeclared, seed, columns.span(), 1, &tie));
  return Drawn{values(offsets), values(columns)};
}

Drawn drawn(const Matrix& matrix, std::uint64_t seed = 1) {
  Result<Drawn> result = try_draw(matrix, seed);
  REQUIRE_MESSAGE(result.has_value(), to_text(result.error()));
  return *std::move(result);
}

std::string refusal(const Matrix& matrix) {
  const Result<Drawn> result = try_draw(matrix, 1);
  return result ? "no error" : to_text(result.error());
}

/// Whether the columns of each row are different, ascending, and in the matrix.
bool is_csr(const Drawn& matrix, std::int64_t columns) {
  for (std::size_t row = 0; row + 1 < matrix.offsets.size(); ++row) {
    const auto begin = static_cast<std::size_t>(matrix.offsets[row]);
    const auto end = static_cast<std::size_t>(matrix.offsets[row + 1]);
    if (begin > end || end > matrix.columns.size()) {
      return false;
    }
    for (std::size_t i = begin + 1; i < end; ++i) {
      if (matrix.columns[i - 1] >= matrix.columns[i]) {
        return false;
      }
    }
  }
  return matrix.offsets.front() == 0 && std::ranges::all_of(matrix.columns, [&](double column) {
           return column >= 0 && column < static_cast<double>(columns);
         });
}

}  // namespace

TEST_SUITE("judge.sparse") {
  TEST_CASE("offsets and columns make a matrix of as many values as was asked for") {
    const Matrix matrices[] = {{1, 1, 1},
                               {1, 1, 0, 1},
                               {5, 7, 35},
                               {5, 7, 34},
                               {3000, 50, 9000},
                               {40, 100000, 3000},
                               {64, 64, 4000},
                               {1, 1000, 17},
                               {1000, 1, 500},
                               {200, 90, 2000, 5000},
                               {100, 30, 50, 0, std::nullopt, DType::kI64},
                               {0, 9, 0, 4}};
    for (const Matrix& matrix : matrices) {
      for (std::uint64_t seed = 1; seed <= 3; ++seed) {
        CAPTURE(matrix.rows);
        CAPTURE(matrix.nonzeros);
        const Drawn made = drawn(matrix, seed);
        CHECK(is_csr(made, matrix.columns));
        CHECK(made.offsets.back() == static_cast<double>(matrix.nonzeros));
      }
    }
  }

  TEST_CASE("rows differ in length: some are empty, some many times as long as the usual one") {
    const Drawn made = drawn({4000, 5000, 40000});
    std::int64_t empty = 0;
    double longest = 0;
    for (std::size_t row = 0; row + 1 < made.offsets.size(); ++row) {
      const double length = made.offsets[row + 1] - made.offsets[row];
      empty += length == 0 ? 1 : 0;
      longest = std::max(longest, length);
    }
    CHECK(empty > 100);
    CHECK(empty < 1000);
    CHECK(longest > 100);
  }

  TEST_CASE("the number of values lies between the fewest and the most, and is drawn") {
    std::vector<double> counts;
    for (std::uint64_t seed = 1; seed <= 8; ++seed) {
      const Drawn made =
          drawn({.rows = 50, .columns = 60, .nonzeros = 1000, .fewest = 500.0}, seed);
      CHECK(is_csr(made, 60));
      counts.push_back(made.offsets.back());
    }
    CHECK(std::ranges::min(counts) >= 500);
    CHECK(std::ranges::max(counts) <= 1000);
    CHECK(std::ranges::min(counts) < std::ranges::max(counts));
  }

  TEST_CASE("a seed gives one matrix, another seed another") {
    const Matrix matrix{100, 100, 700};
    CHECK(drawn(matrix, 1).offsets == drawn(matrix, 1).offsets);
    CHECK(drawn(matrix, 1).columns == drawn(matrix, 1).columns);
    CHECK(drawn(matrix, 1).offsets != drawn(matrix, 2).offsets);
    CHECK(drawn(matrix, 1).columns != drawn(matrix, 2).columns);
  }

  TEST_CASE("a matrix that cannot be is refused with its whole message") {
    CHECK(refusal({.rows = 3, .columns = 4, .nonzeros = 13}) ==
          "invalid_argument: argument \"row_ptr\": 13 to 13 values do not fit into 3 rows and 4 "
          "columns");
    CHECK(refusal({.rows = 3, .columns = 4, .nonzeros = 6, .fewest = 7.0}) ==
          "invalid_argument: argument \"row_ptr\": 7 to 6 values do not fit into 3 rows and 4 "
          "columns");
    CHECK(refusal({.rows = 3, .columns = 4, .nonzeros = 6, .room = 5}) ==
          "invalid_argument: argument \"col\": 5 elements for 6 values of the matrix");
    CHECK(refusal({.rows = 30, .columns = 10, .nonzeros = 200, .type = DType::kI8}) ==
          "invalid_argument: argument \"row_ptr\": whole numbers from 0 to 200 do not fit i8 and "
          "the domain");
    CHECK(refusal({.rows = 30, .columns = 300, .nonzeros = 100, .type = DType::kI8}) ==
          "invalid_argument: argument \"col\": whole numbers from 0 to 299 do not fit i8 and the "
          "domain");
  }

  TEST_CASE("sorted indices ascend in each row, without a number twice") {
    ArgSpec arg;
    arg.name = "index";
    arg.type = DType::kI32;
    arg.fill = {"sorted_indices", {{"low", 10}, {"high", 30}}};
    TestBuffer buffer(dense_spec(DType::kI32, {7, 20}));
    REQUIRE(fill_input(arg, buffer.spec, Distribution::kDeclared, 1, buffer.span()).has_value());
    for (std::int64_t i = 0; i < 140; ++i) {
      CHECK(buffer.get(i) == static_cast<double>(10 + i % 20));  // There is no other choice.
    }
    arg.fill.params.clear();
    REQUIRE(fill_input(arg, buffer.spec, Distribution::kDeclared, 1, buffer.span()).has_value());
    bool rows_differ = false;
    for (std::int64_t i = 1; i < 140; ++i) {
      rows_differ = rows_differ || (i >= 20 && buffer.get(i) != buffer.get(i - 20));
      CHECK((i % 20 == 0 || buffer.get(i - 1) < buffer.get(i)));
      CHECK((buffer.get(i) >= 0 && buffer.get(i) < 40));
    }
    CHECK(rows_differ);
    arg.fill.params = {{"high", 19}};
    CHECK(
        to_text(fill_input(arg, buffer.spec, Distribution::kDeclared, 1, buffer.span()).error()) ==
        "invalid_argument: argument \"index\": rows of 20 different numbers from 0 to 18");
  }

  TEST_CASE("expressions have the values of the workload, and are checked with them") {
    ArgSpec arg;
    arg.name = "index";
    arg.type = DType::kI32;
    arg.fill.kind = "range";
    arg.fill.sizes = {{"high", "n"}};
    TestBuffer buffer(dense_spec(DType::kI32, {500}));
    buffer.spec.fill_sizes = {{"high", 3}};
    REQUIRE(fill_input(arg, buffer.spec, Distribution::kDeclared, 1, buffer.span()).has_value());
    const std::vector<double> drawn_values = values(buffer);
    CHECK(std::ranges::min(drawn_values) == 0);
    CHECK(std::ranges::max(drawn_values) == 2);
    buffer.spec.fill_sizes = {{"high", 0}};
    CHECK(
        to_text(fill_input(arg, buffer.spec, Distribution::kDeclared, 1, buffer.span()).error()) ==
        "invalid_argument: argument \"index\": fill \"range\" needs low below high, got 0 and 0");
  }

  TEST_CASE("timed launches find the structure of a matrix where it was drawn") {
    const BufferSpec spec = [] {
      BufferSpec line = dense_spec(DType::kI32, {100});
      line.role = BufferRole::kIn;
      return line;
    }();
    CHECK(rotation_step(offsets_arg(), spec) == 0);
    CHECK(rotation_step(columns_arg(), spec) == 0);
    ArgSpec sorted = columns_arg();
    sorted.fill = {"sorted_indices", {}};
    CHECK(rotation_step(sorted, spec) == 0);
    ArgSpec range = columns_arg();
    range.fill = {"range", {}};
    CHECK(rotation_step(range, spec) == 1);
  }
}

}  // namespace ws
