#include "runtime/device/cuda/library/column_major.h"

#include <vector>

#include <doctest/doctest.h>

namespace ws::cuda {
namespace {

constexpr std::int64_t kM = 3;
constexpr std::int64_t kN = 4;
constexpr std::int64_t kK = 5;

/// A matrix stored row after row, or column after column, its lines `pad` longer than they need.
GemmMatrix matrix(std::uint32_t buffer, std::int64_t rows, std::int64_t columns, bool by_rows,
                  std::int64_t pad) {
  return by_rows ? GemmMatrix{buffer, 0, columns + pad, 1} : GemmMatrix{buffer, 0, 1, rows + pad};
}

double at(const std::vector<double>& data, const GemmMatrix& place, std::int64_t row,
          std::int64_t column) {
  return data.at(static_cast<std::size_t>(row * place.row_stride + column * place.column_stride));
}

/// As cuBLAS addresses an operand.
double at(const std::vector<double>& data, const ColumnMajor& place, std::int64_t row,
          std::int64_t column) {
  const std::int64_t first = place.transposed ? column : row;
  const std::int64_t second = place.transposed ? row : column;
  CHECK(first < place.rows);
  CHECK(second < place.columns);
  CHECK(place.lead >= place.rows);
  return data.at(static_cast<std::size_t>(first + second * place.lead));
}

}  // namespace

TEST_SUITE("device.cuda.column_major") {
  TEST_CASE("whatever way its matrices are stored, the product in columns is the same") {
    std::vector<double> a(64);
    std::vector<double> b(64);
    for (std::size_t i = 0; i < a.size(); ++i) {
      a[i] = static_cast<double>(i * i % 17);
      b[i] = static_cast<double>(i * 5 % 13);
    }
    for (int ways = 0; ways < 8; ++ways) {
      CAPTURE(ways);
      GemmCall call{.m = kM, .n = kN, .k = kK};
      call.a = matrix(0, kM, kK, (ways & 1) != 0, 1);
      call.b = matrix(1, kK, kN, (ways & 2) != 0, 0);
      call.c = matrix(2, kM, kN, (ways & 4) != 0, 2);
      const ColumnMajorGemm form = column_major(call);
      CHECK_FALSE(form.result.transposed);
      const std::vector<double>& left = form.left.buffer == 0 ? a : b;
      const std::vector<double>& right = form.right.buffer == 0 ? a : b;
      std::vector<double> got(64, -1);
      for (std::int64_t row = 0; row < form.result.rows; ++row) {
        for (std::int64_t column = 0; column < form.result.columns; ++column) {
          double sum = 0;
          for (std::int64_t k = 0; k < kK; ++k) {
            sum += at(left, form.left, row, k) * at(right, form.right, k, column);
          }
          got.at(static_cast<std::size_t>(row + column * form.result.lead)) = sum;
        }
      }
      for (std::int64_t row = 0; row < kM; ++row) {
        for (std::int64_t column = 0; column < kN; ++column) {
          double want = 0;
          for (std::int64_t k = 0; k < kK; ++k) {
            want += at(a, call.a, row, k) * at(b, call.b, k, column);
          }
          CHECK(at(got, call.c, row, column) == want);
        }
      }
    }
  }

  TEST_CASE("a single row or column has a lead that the library takes") {
    GemmCall call{.m = 1, .n = 1, .k = kK};
    call.a = {0, 0, kK, 1};
    call.b = {1, 0, 1, 1};
    call.c = {2, 0, 1, 1};
    const ColumnMajorGemm form = column_major(call);
    for (const ColumnMajor& place : {form.left, form.right, form.result}) {
      CHECK(place.lead >= place.rows);
    }
    CHECK((form.left.transposed ? form.left.rows : form.left.columns) == kK);
  }
}

}  // namespace ws::cuda
