// The archive's statements as PostgreSQL takes them.
#pragma once

#include <string>
#include <string_view>

namespace ws {

struct PostgresText {
  std::string sql;      ///< With `$1` for the first parameter.
  int parameters = 0;   ///< Without the viewer.
  bool viewer = false;  ///< One more follows them: the viewer's name.
  /// It looks for words. How many rows have them differs so much that a plan for any words is a
  /// thousand times too slow for some: each run is planned anew.
  bool by_words = false;
};

/// @param sql  With `?` for the next parameter, `?2` for the second one, and `viewer()`. What
/// stands between quotes stays as it is.
PostgresText postgres_text(std::string_view sql);

}  // namespace ws
