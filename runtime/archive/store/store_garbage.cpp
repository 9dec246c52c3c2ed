// Finds the rows that may be deleted.
#include <algorithm>
#include <chrono>
#include <unordered_map>
#include <unordered_set>

#include "runtime/archive/store/garbage_rules.h"
#include "runtime/archive/store/store.h"
#include "runtime/base/clock.h"

namespace ws::store {
namespace {

constexpr std::int64_t kDayMs = std::chrono::milliseconds(std::chrono::days(1)).count();

/// The flag "this owner is it" is taken over all owners of a row.
constexpr const char* kAlone = "min";
constexpr const char* kAmongOthers = "max";

/// ?1: what is younger, in milliseconds since the epoch, stays. ?2: GarbageRules::owner. A kernel
/// that the index lacks has no status, so its evidence is not known to be no leader's.
/// @param all  Whether a kernel must have that owner alone, or among others.
std::string kept_sql(const char* all) {
  return std::string("WITH RECURSIVE named(id) AS (") + kNamedByJobs +
         "), "
         "leaders(kernel) AS ("
         "  SELECT kernel FROM (SELECT kernel, row_number() OVER"
         "    (PARTITION BY problem, device ORDER BY ratio DESC) AS place FROM standings"
         "    WHERE against = 'reference' AND ratio IS NOT NULL AND state = 2) fastest"
         "    WHERE place = 1"
         "  UNION SELECT kernel FROM (SELECT kernel, row_number() OVER"
         "    (PARTITION BY problem, device, state ORDER BY at_ms DESC) AS place FROM standings) "
         "    latest WHERE place = 1), "
         "kept(id) AS ("
         "  SELECT id FROM kernels WHERE " +
         std::string(kCreatedMs) +
         " > ?1"
         "  UNION SELECT id FROM kernels WHERE ?2 <> '' AND coalesce("
         "    (SELECT " +
         all +
         "(CASE WHEN o.owner = ?2 THEN 1 ELSE 0 END) FROM owners o"
         "     WHERE o.id = kernels.id), 0) = 0"
         "  UNION SELECT kernel_id FROM refs"
         "  UNION SELECT kernel_id FROM labels"
         "  UNION SELECT kernel_id FROM claims"
         "  UNION SELECT base_id FROM pass_tries"
         "  UNION SELECT kernel_id FROM pass_tries"
         "  UNION SELECT id FROM named"
         "  UNION SELECT kernel_id FROM indexed_kernels WHERE seq IN (SELECT kernel FROM leaders)"
         "  UNION SELECT kernel_id FROM evidence"
         "    WHERE created_ms > ?1 OR seq = (SELECT max(seq) FROM evidence)"
         "      OR kernel_id NOT IN (SELECT kernel_id FROM indexed_kernels)"
         // Two ways on from a kernel that is kept, in one term: PostgreSQL takes no second one.
         "  UNION SELECT CASE WHEN way.number = 1 THEN k.parent"
         "    WHEN json_valid(e.json) THEN json_extract(e.json, '$.output.baseline') END"
         "    FROM kept CROSS JOIN (SELECT 1 AS number UNION ALL SELECT 2) way"
         "    LEFT JOIN kernels k ON way.number = 1 AND k.id = kept.id"
         "    LEFT JOIN evidence e ON way.number = 2 AND e.kernel_id = kept.id"
         "      AND e.kind IN ('benchmark', 'evaluate', 'tune')) ";
}

/// A kernel that nothing keeps.
struct Loose {
  std::int64_t row = 0;
  std::int64_t parent = 0;  ///< The parent's row; 0: a root.
  std::string id;
  /// When it, or the last of what was made from it, was stored or judged.
  std::int64_t newest_ms = 0;
  std::int64_t bytes = 0;
  std::int64_t evidence = 0;
};

/// The kernels that nothing keeps, each before its parent, which was stored earlier.
Result<std::vector<Loose>> loose_kernels(Connection& connection, std::int64_t younger_ms,
                                         const std::string& owner, const char* all = kAlone) {
  WS_TRY(Statement rows,
         connection.prepare(
             kept_sql(all) +
             "SELECT k.rowid, coalesce(max(p.rowid), 0), k.id, "
             "CAST((julianday(k.created_at) - 2440587.5) * 86400000 AS BIGINT), "
             "coalesce(max(e.created_ms), 0), length(k.json) + "
             "coalesce(sum(length(e.json)), 0), count(e.seq) FROM kernels k "
             "LEFT JOIN kernels p ON p.id = k.parent LEFT JOIN evidence e ON e.kernel_id = k.id "
             "WHERE k.id NOT IN (SELECT id FROM kept WHERE id IS NOT NULL) "
             "GROUP BY k.id ORDER BY k.rowid DESC"));
  rows.bind(younger_ms).bind(owner);
  return read_rows(rows, [](const Statement& row) {
    return Loose{row.integer(0), row.integer(1),
                 row.text(2),    std::max(row.integer(3), row.integer(4)),
                 row.integer(5), row.integer(6)};
  });
}

/// A kernel cannot go before those that were made from it: it is as young as the youngest of them.
/// Then the oldest come first, each still before its parent.
void order_by_age(std::vector<Loose>& kernels) {
  std::unordered_map<std::int64_t, std::size_t> places;
  for (std::size_t i = 0; i < kernels.size(); ++i) {
    places[kernels[i].row] = i;
  }
  for (const Loose& kernel : kernels) {
    if (const auto parent = places.find(kernel.parent); parent != places.end()) {
      std::int64_t& newest = kernels[parent->second].newest_ms;
      newest = std::max(newest, kernel.newest_ms);
    }
  }
  std::stable_sort(kernels.begin(), kernels.end(),
                   [](const Loose& a, const Loose& b) { return a.newest_ms < b.newest_ms; });
}

Result<std::int64_t> whole_number(Connection& connection, const std::string& sql) {
  WS_TRY(Statement row, connection.prepare(sql));
  WS_TRY([[maybe_unused]] const bool found, row.step());
  return row.integer(0);
}

/// The sizes in the file, and of the texts in it: the rest is indexes, which grow with the texts.
struct Sizes {
  std::int64_t used = 0;
  std::int64_t texts = 1;

  [[nodiscard]] std::int64_t in_file(std::int64_t bytes) const {
    return static_cast<std::int64_t>(static_cast<double>(used) * static_cast<double>(bytes) /
                                     static_cast<double>(texts));
  }
};

Result<Sizes> sizes_of(Connection& connection) {
  Sizes sizes;
  WS_TRY(const std::int64_t texts,
         whole_number(connection,
                      "SELECT (SELECT coalesce(sum(length(json)), 0) FROM kernels) + "
                      "(SELECT coalesce(sum(length(json)), 0) FROM problems) + "
                      "(SELECT coalesce(sum(length(json)), 0) FROM evidence) + "
                      "(SELECT coalesce(sum(length(json)), 0) FROM claims)"));
  sizes.texts = std::max<std::int64_t>(texts, 1);
  if (connection.is_postgres()) {
    sizes.used = sizes.texts;  // The size of its files does not shrink when rows are deleted.
    return sizes;
  }
  WS_TRY(sizes.used, whole_number(connection,
                                  "SELECT (page_count - freelist_count) * page_size FROM "
                                  "pragma_page_count, pragma_freelist_count, pragma_page_size"));
  return sizes;
}

/// Old evidence of kernels that stay, beyond the newest few by which a kernel is judged.
Status find_evidence(Connection& connection, std::int64_t old_ms, const std::string& owner,
                     const Sizes& sizes, Garbage& garbage) {
  WS_TRY(
      Statement rows,
      connection.prepare(
          "SELECT seq, bytes FROM (SELECT seq, id, created_ms, kernel_id, length(json) AS bytes, "
          "row_number() OVER (PARTITION BY kernel_id, device, kind, key, verdict "
          "ORDER BY seq DESC) AS place FROM evidence) ranked "
          "WHERE place > ?1 AND created_ms <= ?2 AND kernel_id NOT IN (SELECT id FROM "
          "going) AND (?3 = '' OR id IN (SELECT o.id FROM owners o WHERE o.owner = ?3)) "
          "ORDER BY seq"));
  rows.bind(kEvidenceKept).bind(old_ms).bind(owner);
  std::int64_t bytes = 0;
  WS_CHECK(for_each_row(rows, [&](const Statement& row) {
    garbage.evidence.push_back(row.integer(0));
    bytes += row.integer(1);
  }));
  garbage.bytes += static_cast<std::uint64_t>(sizes.in_file(bytes));
  return {};
}

/// A problem that the next call may still bring kernels for is not old.
Status find_problems(Connection& connection, std::int64_t old_ms, const std::string& owner,
                     Garbage& garbage) {
  WS_TRY(Statement rows,
         connection.prepare(
             "SELECT id FROM problems WHERE " + std::string(kCreatedMs) +
             " <= ?1 AND (?2 = '' OR coalesce((SELECT min(CASE WHEN o.owner = ?2 THEN 1 ELSE 0 "
             "END) FROM owners o WHERE o.id = problems.id), 0) = 1) AND id NOT IN (SELECT "
             "problem_id FROM kernels "
             "WHERE id NOT IN (SELECT id FROM going)) AND id NOT IN (" +
             kNamedByJobs + ") ORDER BY rowid DESC"));
  WS_TRY(garbage.problems, texts(rows.bind(old_ms).bind(owner)));
  return {};
}

/// Those that go, as a table that the others can be compared with.
Status note_going(Connection& connection, const std::vector<std::string>& kernels) {
  WS_CHECK(connection.execute(
      "CREATE TEMP TABLE IF NOT EXISTS going AS SELECT id FROM kernels WHERE 1 = 0; "
      "DELETE FROM going"));
  WS_TRY(Statement insert, connection.prepare("INSERT INTO going VALUES(?)"));
  for (const std::string& id : kernels) {
    WS_CHECK(insert.reset().bind(id).run());
  }
  return {};
}

}  // namespace

Result<Garbage> find_garbage(Connection& connection, const GarbageRules& rules) {
  const std::int64_t now = unix_ms();
  const std::int64_t old_ms = now - rules.days * kDayMs;
  const std::int64_t safe_ms =
      rules.max_bytes > 0 ? now - std::min(rules.days, 1) * kDayMs : old_ms;
  Garbage garbage;
  WS_TRY(const Sizes sizes, sizes_of(connection));
  WS_TRY(garbage.last_evidence,
         whole_number(connection, "SELECT coalesce(max(seq), 0) FROM evidence"));
  WS_TRY(std::vector<Loose> kernels, loose_kernels(connection, safe_ms, rules.owner));
  order_by_age(kernels);
  std::int64_t left = sizes.used;
  for (const Loose& kernel : kernels) {
    const bool too_much = rules.max_bytes > 0 && left > static_cast<std::int64_t>(rules.max_bytes);
    if (kernel.newest_ms > old_ms && !too_much) {
      break;
    }
    left -= sizes.in_file(kernel.bytes);
    garbage.kernels.push_back(kernel.id);
    garbage.with_kernels += static_cast<std::uint64_t>(kernel.evidence);
  }
  garbage.bytes = static_cast<std::uint64_t>(sizes.used - left);
  WS_CHECK(note_going(connection, garbage.kernels));
  WS_CHECK(find_evidence(connection, old_ms, rules.owner, sizes, garbage));
  WS_CHECK(find_problems(connection, old_ms, rules.owner, garbage));
  return garbage;
}

Result<std::uint64_t> garbage_of_others(Connection& connection, const GarbageRules& rules) {
  if (rules.owner.empty()) {
    return 0;
  }
  const std::int64_t old_ms = unix_ms() - rules.days * kDayMs;
  WS_TRY(const std::vector<Loose> alone, loose_kernels(connection, old_ms, rules.owner));
  std::unordered_set<std::string> going;
  for (const Loose& kernel : alone) {
    going.insert(kernel.id);
  }
  WS_TRY(std::vector<Loose> all, loose_kernels(connection, old_ms, rules.owner, kAmongOthers));
  order_by_age(all);
  return static_cast<std::uint64_t>(std::count_if(all.begin(), all.end(), [&](const Loose& kernel) {
    return kernel.newest_ms <= old_ms && !going.contains(kernel.id);
  }));
}

}  // namespace ws::store
