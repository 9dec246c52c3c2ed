#include "runtime/archive/search/kernel_words.h"

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

/// The words of the newest labels that the viewer sees: a kernel may have any number of labels.
Result<std::string> words_of_labels(Connection& connection, const std::string& kernel_id) {
  constexpr std::int64_t kLabels = 64;
  WS_TRY(Statement rows, connection.prepare("SELECT text FROM labels WHERE kernel_id = ?" +
                                            and_seen(kLabelId) + " ORDER BY seq DESC LIMIT ?"));
  rows.bind(kernel_id).bind(kLabels);
  std::string text;
  WS_CHECK(for_each_row(rows, [&](const Statement& row) { text += row.text(0) + " "; }));
  return indexed_text(text);
}

Result<std::string> joined_words(Connection& connection, const std::string& kernel_id,
                                 const std::string& own, const std::string& op) {
  WS_TRY(const std::string labels, words_of_labels(connection, kernel_id));
  return own + " " + indexed_text(op) + " " + labels;
}

/// The words of an indexed kernel, and of the labels that the viewer sees.
Result<std::string> words_seen(Connection& connection, std::int64_t seq) {
  WS_TRY(Statement row,
         connection.prepare("SELECT k.id, k.name, k.problem_id, k.json, coalesce(p.op, '') "
                            "FROM indexed_kernels i JOIN kernels k ON k.id = i.kernel_id "
                            "LEFT JOIN problem_facts p ON p.seq = i.problem WHERE i.seq = ?"));
  WS_TRY(const bool found, row.bind(seq).step());
  if (!found) {
    return std::string();
  }
  const KernelRow kernel = {row.text(0), row.text(1), row.text(2), {}, row.text(3), {}};
  return joined_words(connection, kernel.id, own_words(kernel), row.text(4));
}

}  // namespace

const char* word_table(State state) {
  const char* name = "";
  for (const WordTable& table : kTables) {
    name = table.state == state ? table.name : name;
  }
  return name;
}

Result<std::string> all_words(Connection& connection, const std::string& kernel_id,
                              const std::string& own, const std::string& op) {
  const ViewerScope all(nullptr);  // The index has the words of all labels.
  return joined_words(connection, kernel_id, own, op);
}

Result<std::string> words_of_kernel(Connection& connection, std::int64_t seq) {
  const ViewerScope all(nullptr);  // The index has the words of all labels.
  return words_seen(connection, seq);
}

Result<std::optional<std::string>> seen_words_of_kernel(Connection& connection, std::int64_t seq) {
  WS_TRY(Statement unseen,
         connection.prepare("SELECT 1 FROM labels WHERE kernel_id = (SELECT kernel_id FROM "
                            "indexed_kernels WHERE seq = ?) AND NOT (1" +
                            and_seen(kLabelId) + ") LIMIT 1"));
  WS_TRY(const bool some, unseen.bind(seq).step());
  if (!some) {
    return std::optional<std::string>();
  }
  return words_seen(connection, seq);
}

Status add_words(Connection& connection, State state, std::int64_t seq, const std::string& words) {
  WS_TRY(Statement insert, connection.prepare("INSERT INTO " + std::string(word_table(state)) +
                                              "(rowid, words) VALUES(?, ?)"));
  return insert.bind(seq).bind(words).run();
}

Status remove_words(Connection& connection, State state, std::int64_t seq,
                    const std::string& words) {
  const std::string name = word_table(state);
  WS_TRY(Statement remove, connection.prepare("INSERT INTO " + name + "(" + name +
                                              ", rowid, words) VALUES('delete', ?, ?)"));
  return remove.bind(seq).bind(words).run();
}

Status add_everywhere(Connection& connection, std::int64_t states, std::int64_t seq,
                      const std::string& words) {
  for (const WordTable& table : kTables) {
    if (is_in(table, states)) {
      WS_CHECK(add_words(connection, table.state, seq, words));
    }
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
    WS_CHECK(connection.execute("INSERT INTO " + name + "(" + name + ") VALUES('delete-all')"));
  }
  return {};
}

}  // namespace ws::store
