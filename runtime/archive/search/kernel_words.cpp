#include "runtime/archive/search/kernel_words.h"

#include <algorithm>
#include <iterator>
#include <string_view>
#include <utility>

#include "runtime/archive/search/kernel_traits.h"
#include "runtime/archive/store/archive.h"
#include "runtime/archive/store/visible.h"
#include "runtime/base/viewer.h"

namespace ws::store {
namespace {

struct WordTable {
  State state;
  const char* name;
};

constexpr WordTable kTables[] = {
    {State::kUnjudged, "kernel_words"},  // All kernels, so the words of the others are there first.
    {State::kFailed, "failed_words"},
    {State::kPassed, "passed_words"},
};

bool is_in(const WordTable& table, std::int64_t states) {
  return table.state == State::kUnjudged || (states & static_cast<std::int64_t>(table.state)) != 0;
}

/// PostgreSQL's words are UTF-8, ours are any bytes: those beyond ASCII as `_` and two digits. No
/// word has a `_` of its own.
std::string postgres_word(std::string_view word) {
  constexpr std::string_view kDigits = "0123456789abcdef";
  std::string text;
  for (const char c : word) {
    const auto byte = static_cast<unsigned char>(c);
    if (byte < 0x80) {
      text += c;
    } else {
      text += {'_', kDigits[byte >> 4U], kDigits[byte & 0xfU]};
    }
  }
  return text;
}

std::string word_of_postgres(std::string_view text) {
  const auto digit = [](char c) { return c <= '9' ? c - '0' : c - 'a' + 10; };
  std::string word;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '_' && i + 2 < text.size()) {
      word += static_cast<char>(digit(text[i + 1]) * 16 + digit(text[i + 2]));
      i += 2;
    } else {
      word += text[i];
    }
  }
  return word;
}

/// Words with one space between two, as PostgreSQL's function divides them.
std::string postgres_words(const std::string& words) {
  std::string text;
  for (const char c : postgres_word(words)) {
    if (c != ' ' || (!text.empty() && text.back() != ' ')) {
      text += c;
    }
  }
  if (text.ends_with(' ')) {
    text.pop_back();
  }
  return text;
}

/// The words of kernels, and of the newest labels of each that the viewer sees: a kernel may have
/// any number of labels.
Result<std::vector<std::string>> joined_words(Connection& connection,
                                              const std::vector<WordSources>& kernels) {
  constexpr std::int64_t kLabels = 64;
  WS_TRY(Statement rows, connection.prepare("SELECT text FROM labels WHERE kernel_id = ?" +
                                            and_seen(kLabelId) + " ORDER BY seq DESC LIMIT ?"));
  std::vector<std::string> labels(kernels.size());
  WS_CHECK(for_each_run(
      rows, kernels.size(),
      [&](Statement& statement, std::size_t i) {
        statement.bind(kernels[i].kernel_id).bind(kLabels);
      },
      [&](std::size_t i, const Statement& row) { labels[i] += row.text(0) + " "; }));
  std::vector<std::string> all;
  for (std::size_t i = 0; i < kernels.size(); ++i) {
    all.push_back(kernels[i].own + " " + indexed_text(kernels[i].op) + " " +
                  indexed_text(labels[i]));
  }
  return all;
}

}  // namespace

const char* word_table(State state) {
  const char* name = "";
  for (const WordTable& table : kTables) {
    name = table.state == state ? table.name : name;
  }
  return name;
}

Result<std::vector<std::string>> all_words(Connection& connection,
                                           const std::vector<WordSources>& kernels) {
  const ViewerScope all(nullptr);  // The index has the words of all labels.
  return joined_words(connection, kernels);
}

Result<std::string> seen_words_of_kernel(Connection& connection, std::int64_t seq) {
  WS_TRY(Statement row,
         connection.prepare("SELECT k.id, k.name, k.problem_id, k.json, coalesce(p.op, '') "
                            "FROM indexed_kernels i JOIN kernels k ON k.id = i.kernel_id "
                            "LEFT JOIN problem_facts p ON p.seq = i.problem WHERE i.seq = ?"));
  WS_TRY(const bool found, row.bind(seq).step());
  if (!found) {
    return std::string();
  }
  const KernelRow kernel = {row.text(0), row.text(1), row.text(2), {}, row.text(3), {}};
  WS_TRY(std::vector<std::string> words,
         joined_words(connection, {{kernel.id, own_words(kernel), row.text(4)}}));
  return std::move(words.front());
}

Result<std::string> words_of_kernel(Connection& connection, std::int64_t seq) {
  const ViewerScope all(nullptr);  // The index has the words of all labels.
  return seen_words_of_kernel(connection, seq);
}

Result<std::vector<std::int64_t>> with_hidden_labels(Connection& connection,
                                                     const std::vector<std::int64_t>& numbers) {
  WS_TRY(Statement hidden,
         connection.prepare("SELECT 1 FROM labels WHERE kernel_id = (SELECT kernel_id FROM "
                            "indexed_kernels WHERE seq = ?) AND NOT (1 = 1" +
                            and_seen(kLabelId) + ") LIMIT 1"));
  std::vector<std::int64_t> found;
  WS_CHECK(for_each_run(
      hidden, numbers.size(),
      [&](Statement& statement, std::size_t i) { statement.bind(numbers[i]); },
      [&](std::size_t i, const Statement&) { found.push_back(numbers[i]); }));
  return found;
}

Status add_words(Connection& connection, State state, const std::vector<IndexedWords>& kernels) {
  const bool is_postgres = connection.is_postgres();
  WS_TRY(Statement insert,
         connection.prepare(std::string("INSERT INTO ") + word_table(state) +
                            (is_postgres ? "(rowid, words) VALUES(?, "
                                           "array_to_tsvector(string_to_array(?, ' ')))"
                                         : "(rowid, words) VALUES(?, ?)")));
  return run_all(insert, kernels.size(), [&](Statement& statement, std::size_t i) {
    const std::string& words = kernels[i].words;
    statement.bind(kernels[i].seq).bind(is_postgres ? postgres_words(words) : words);
  });
}

Status remove_words(Connection& connection, State state, std::int64_t seq,
                    const std::string& words) {
  const std::string name = word_table(state);
  if (connection.is_postgres()) {
    WS_TRY(Statement remove, connection.prepare("DELETE FROM " + name + " WHERE rowid = ?"));
    return remove.bind(seq).run();
  }
  WS_TRY(Statement remove, connection.prepare("INSERT INTO " + name + "(" + name +
                                              ", rowid, words) VALUES('delete', ?, ?)"));
  return remove.bind(seq).bind(words).run();
}

Result<Statement> rows_with_words(Connection& connection, State state,
                                  const std::vector<std::string>& words, std::int64_t most) {
  const std::string table = word_table(state);
  const std::string order = and_seen_number(table + ".rowid") + " ORDER BY rowid DESC LIMIT ?";
  const bool is_postgres = connection.is_postgres();
  WS_TRY(Statement rows,
         connection.prepare("SELECT rowid FROM " + table + " WHERE " +
                            (is_postgres ? "words @@ CAST(? AS tsquery)" : table + " MATCH ?") +
                            order));
  std::string text;
  for (const std::string& word : words) {  // In quotes a word is one, whatever is in it.
    text += is_postgres ? (text.empty() ? "'" : " & '") + postgres_word(word) + "'"
                        : (text.empty() ? "\"" : " AND \"") + word + "\"";
  }
  rows.bind(text).bind(most);
  return rows;
}

Status for_each_word(Connection& connection, State state,
                     const std::function<void(std::int64_t seq, std::string_view word)>& body) {
  const std::string table = word_table(state);
  const bool is_postgres = connection.is_postgres();
  if (!is_postgres) {
    WS_CHECK(connection.execute("CREATE VIRTUAL TABLE IF NOT EXISTS temp.seen_" + table +
                                " USING fts5vocab(main, '" + table + "', 'instance')"));
  }
  WS_TRY(Statement rows,
         connection.prepare(is_postgres
                                ? "SELECT rowid, unnest(tsvector_to_array(words)) FROM " + table
                                : "SELECT doc, term FROM temp.seen_" + table));
  WS_CHECK(for_each_row(rows, [&](const Statement& row) {
    const std::string word = row.text(1);
    body(row.integer(0), is_postgres ? word_of_postgres(word) : word);
  }));
  return {};
}

Status add_everywhere(Connection& connection, const std::vector<IndexedWords>& kernels) {
  for (const WordTable& table : kTables) {
    std::vector<IndexedWords> those;
    std::copy_if(kernels.begin(), kernels.end(), std::back_inserter(those),
                 [&](const IndexedWords& kernel) { return is_in(table, kernel.states); });
    WS_CHECK(add_words(connection, table.state, those));
  }
  return {};
}

Status remove_everywhere(Connection& connection, std::int64_t states, std::int64_t seq,
                         const std::string& words) {
  for (const WordTable& table : kTables) {
    if (is_in(table, states)) {
      WS_CHECK(remove_words(connection, table.state, seq, words));
    }
  }
  return {};
}

Result<bool> merge_words(Connection& connection, std::size_t pages) {
  if (connection.is_postgres()) {
    return false;  // Its own upkeep does that.
  }
  constexpr std::int64_t kIdle = 2;  // A merge that had nothing to do changes fewer rows.
  bool more = false;
  for (const WordTable& table : kTables) {
    const std::string name = table.name;
    WS_TRY(Statement merge,
           connection.prepare("INSERT INTO " + name + "(" + name + ", rank) VALUES('merge', ?)"));
    const std::int64_t before = connection.total_changes();
    WS_CHECK(merge.bind(static_cast<std::int64_t>(pages)).run());
    more = more || connection.total_changes() - before >= kIdle;
  }
  return more;
}

Status clear_words(Connection& connection) {
  for (const WordTable& table : kTables) {
    const std::string name = table.name;
    WS_CHECK(connection.execute(connection.is_postgres() ? "DELETE FROM " + name
                                                         : "INSERT INTO " + name + "(" + name +
                                                               ") VALUES('delete-all')"));
  }
  return {};
}

}  // namespace ws::store
