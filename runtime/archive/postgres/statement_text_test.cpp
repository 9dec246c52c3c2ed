#include "runtime/archive/postgres/statement_text.h"

#include <doctest/doctest.h>

namespace ws {

TEST_SUITE("archive.postgres.text") {
  TEST_CASE("parameters become numbered ones, and the viewer the one behind them") {
    struct Case {
      const char* sql;
      const char* wanted;
      int parameters;
      bool viewer;
    };

    const Case cases[] = {
        {"SELECT 1", "SELECT 1", 0, false},
        {"VALUES(?, ?)", "VALUES($1, $2)", 2, false},
        {"a = ?2 AND b < ?1 || '~' AND c = ?2", "a = $2 AND b < $1 || '~' AND c = $2", 2, false},
        {"a = '?' AND b = 'it''s ?' AND c = ?", "a = '?' AND b = 'it''s ?' AND c = $1", 1, false},
        {"o = viewer() OR p = ?", "o = $2 OR p = $1", 1, true},
        {"o = 'viewer()'", "o = 'viewer()'", 0, false},
        {"a = ?12", "a = $12", 12, false},
        {"a = 'open ?", "a = 'open ?", 0, false},
    };
    for (const Case& c : cases) {
      const PostgresText text = postgres_text(c.sql);
      CHECK(text.sql == c.wanted);
      CHECK(text.parameters == c.parameters);
      CHECK(text.viewer == c.viewer);
      CHECK(!text.by_words);
    }
    CHECK(postgres_text("SELECT 1 WHERE words @@ CAST(? AS tsquery)").by_words);
  }
}

}  // namespace ws
