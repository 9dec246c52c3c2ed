#include "runtime/lift/orchestration/index_text.h"

#include <doctest/doctest.h>

namespace ws::lift {

TEST_SUITE("lift.index_text") {
  TEST_CASE("an index is a sum of products, and anything else is a symbol") {
    struct Row {
      const char* text;
      const char* sum;
    };

    constexpr Row kRows[] = {
        {"(qidx * 64 * 128) + (k * 16)", "qidx * 8192 + k * 16"},
        {"64 * (i + (wg - 1) * 64 // 64) * 64", "i * 4096 + wg * 4096 - 4096"},
        {"blockIdx.x * self.n - -2", "blockIdx.x * self.n + 2"},
        {"j % 2 * 8 + s[i + 1]", "(j % 2) * 8 + s[i + 1]"},
        {"j // 3 * 3", "(j // 3) * 3"},
        {"64 * div_trunc((i), (n) + 1) + 8", "div_trunc((i), (n) + 1) * 64 + 8"},
        {"a and b", "(a and b)"},
        {"(a", "((a)"},
        {"", "()"},
    };
    for (const Row& row : kRows) {
      Symbols symbols;
      CHECK(symbols.text_of(index_poly(row.text, symbols)) == row.sum);
    }
  }

  TEST_CASE("an address is tile, row and column by what divides its terms") {
    Symbols symbols;
    const Poly address = index_poly("q * 8192 + (wg * 64 + 1) * 64 + k * 16 + 8", symbols);
    const auto [tile, within] = split_multiple(address, 8192);
    const auto [row, column] = split_multiple(within, 64);
    CHECK(symbols.text_of(tile) == "q");
    CHECK(symbols.text_of(row) == "wg * 64 + 1");
    CHECK(symbols.text_of(column) == "k * 16 + 8");
  }
}

}  // namespace ws::lift
