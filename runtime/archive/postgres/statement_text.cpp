#include "runtime/archive/postgres/statement_text.h"

#include <algorithm>
#include <charconv>

namespace ws {
namespace {

constexpr std::string_view kViewer = "viewer()";

/// The length of a text in quotes that begins at `at`; to the end where it has none.
std::size_t quoted_length(std::string_view sql, std::size_t at) {
  const std::size_t end = sql.find(sql[at], at + 1);
  return (end == std::string_view::npos ? sql.size() : end + 1) - at;
}

/// The parameters of a statement.
int count_parameters(std::string_view sql) {
  int count = 0;
  for (std::size_t at = 0; at < sql.size(); ++at) {
    if (sql[at] == '\'') {
      at += quoted_length(sql, at) - 1;
    } else if (sql[at] == '?') {
      int place = 0;
      std::from_chars(sql.data() + at + 1, sql.data() + sql.size(), place);
      count = place > 0 ? std::max(count, place) : count + 1;
    }
  }
  return count;
}

}  // namespace

PostgresText postgres_text(std::string_view sql) {
  PostgresText text;
  text.parameters = count_parameters(sql);
  text.by_words = sql.find(" @@ ") != std::string_view::npos;
  int last = 0;
  for (std::size_t at = 0; at < sql.size();) {
    if (sql[at] == '\'') {
      const std::size_t length = quoted_length(sql, at);
      text.sql += sql.substr(at, length);
      at += length;
    } else if (sql[at] == '?') {
      int place = 0;
      const auto [end, error] =
          std::from_chars(sql.data() + at + 1, sql.data() + sql.size(), place);
      last = place > 0 ? std::max(last, place) : last + 1;
      text.sql += "$" + std::to_string(place > 0 ? place : last);
      at = static_cast<std::size_t>(end - sql.data());
    } else if (sql.substr(at).starts_with(kViewer)) {
      text.viewer = true;
      text.sql += "$" + std::to_string(text.parameters + 1);
      at += kViewer.size();
    } else {
      text.sql += sql[at++];
    }
  }
  return text;
}

}  // namespace ws
