#include "runtime/archive/search/search_index.h"

#include "runtime/archive/search/kernel_status.h"
#include "runtime/archive/search/kernel_words.h"
#include "runtime/archive/search/operation_index.h"
#include "runtime/search/problem_facts.h"

namespace ws::store {
namespace {

struct IndexedKernel {
  std::int64_t seq = 0;  ///< 0: there is none.
  std::int64_t fingerprint = 0;
  std::int64_t states = 0;
};

Result<IndexedKernel> indexed(Connection& connection, const std::string& kernel_id) {
  WS_TRY(Statement row, connection.prepare("SELECT seq, fingerprint, states FROM indexed_kernels "
                                           "WHERE kernel_id = ?"));
  WS_TRY(const bool found, row.bind(kernel_id).step());
  return found ? IndexedKernel{row.integer(0), row.integer(1), row.integer(2)} : IndexedKernel{};
}

struct Fingerprint {
  std::int64_t id = 0;  ///< 0: of a source without a token.
  std::int64_t states = 0;
};

/// The fingerprint of a source; it is added, with these states, when it is new.
Result<Fingerprint> fingerprint_of(Connection& connection, const std::optional<CodeTraits>& code,
                                   std::int64_t states) {
  if (!code) {
    return Fingerprint{0, states};
  }
  WS_TRY(Statement known, connection.prepare("SELECT id, states FROM fingerprints WHERE hash = ?"));
  WS_TRY(const bool found, known.bind(code->hash).step());
  if (found) {
    return Fingerprint{known.integer(0), known.integer(1)};
  }
  WS_TRY(Statement insert,
         connection.prepare("INSERT INTO fingerprints(hash, states, signature) VALUES(?, ?, ?)"));
  insert.bind(code->hash).bind(states);
  insert.bind_blob(code->signature.data(), sizeof(code->signature));
  WS_TRY(const std::int64_t id, insert.insert("id"));
  WS_TRY(Statement band,
         connection.prepare("INSERT INTO fingerprint_bands(band, states, fingerprint) "
                            "VALUES(?, ?, ?) ON CONFLICT DO NOTHING"));
  for (const std::uint32_t key : bands_of(code->signature)) {
    WS_CHECK(band.reset().bind(std::int64_t{key}).bind(states).bind(id).run());
  }
  return Fingerprint{id, states};
}

/// The sum over a fingerprint's kernels; nothing when it has none.
Result<std::optional<std::int64_t>> states_of_fingerprint(Connection& connection,
                                                          std::int64_t fingerprint) {
  WS_TRY(Statement row, connection.prepare("SELECT 1 FROM indexed_kernels "
                                           "WHERE fingerprint = ? AND states = ? LIMIT 1"));
  std::optional<std::int64_t> all;
  for (std::int64_t states = 0; states <= kAllStates; ++states) {
    WS_TRY(const bool found, row.reset().bind(fingerprint).bind(states).step());
    if (found) {
      all = all.value_or(0) | states;
    }
  }
  return all;
}

/// Brings the states of a fingerprint up to date, or takes it out when no kernel has it.
Status refresh_fingerprint(Connection& connection, std::int64_t fingerprint) {
  WS_TRY(Statement row,
         connection.prepare("SELECT states, signature FROM fingerprints WHERE id = ?"));
  WS_TRY(const bool found, row.bind(fingerprint).step());
  WS_TRY(const std::optional<std::int64_t> states, states_of_fingerprint(connection, fingerprint));
  if (!found || states == row.integer(0)) {
    return {};
  }
  const std::int64_t old = row.integer(0);
  WS_TRY(Statement band,
         connection.prepare(states ? "UPDATE fingerprint_bands SET states = ?4 WHERE band = ?1 "
                                     "AND states = ?2 AND fingerprint = ?3"
                                   : "DELETE FROM fingerprint_bands WHERE band = ?1 "
                                     "AND states = ?2 AND fingerprint = ?3"));
  for (const std::uint32_t key : bands_of(signature_from(row.text(1)).value_or(Signature{}))) {
    band.reset().bind(std::int64_t{key}).bind(old).bind(fingerprint);
    if (states) {
      band.bind(*states);
    }
    WS_CHECK(band.run());
  }
  WS_TRY(Statement update,
         connection.prepare(states ? "UPDATE fingerprints SET states = ?2 WHERE id = ?1"
                                   : "DELETE FROM fingerprints WHERE id = ?1"));
  update.bind(fingerprint);
  if (states) {
    update.bind(*states);
  }
  return update.run();
}

/// The number and the operation of an indexed problem; zero and nothing where it is not indexed.
Result<std::pair<std::int64_t, std::string>> indexed_problem(Connection& connection,
                                                             const std::string& id) {
  WS_TRY(Statement row,
         connection.prepare("SELECT seq, op FROM problem_facts WHERE problem_id = ?"));
  WS_TRY(const bool found, row.bind(id).step());
  return found ? std::pair(row.integer(0), row.text(1)) : std::pair(std::int64_t{0}, std::string());
}

/// The sum of a kernel's states over all devices.
Result<std::int64_t> states_of_kernel(Connection& connection, std::int64_t seq) {
  WS_TRY(Statement rows, connection.prepare("SELECT state FROM standings WHERE kernel = ?"));
  rows.bind(seq);
  std::int64_t states = 0;
  while (true) {
    WS_TRY(const bool more, rows.step());
    if (!more) {
      return states;
    }
    states |= rows.integer(0);
  }
}

}  // namespace

Status index_problem(Connection& connection, const ProblemRow& problem) {
  const ProblemFacts facts = problem_facts(problem.json);
  WS_TRY(Statement insert,
         connection.prepare("INSERT INTO problem_facts(problem_id, op, facts) VALUES(?, ?, ?) "
                            "ON CONFLICT(problem_id) DO UPDATE SET op = excluded.op, "
                            "facts = excluded.facts"));
  return insert.bind(problem.id).bind(facts.op).bind(facts_text(facts)).run();
}

Status index_kernel(Connection& connection, const KernelRow& kernel, const KernelTraits& traits,
                    const IndexPlace& place) {
  WS_TRY(const auto problem, indexed_problem(connection, kernel.problem_id));
  WS_TRY(const Fingerprint code, fingerprint_of(connection, traits.code, place.states));
  WS_TRY(Statement insert,
         connection.prepare(place.seq == 0
                                ? "INSERT INTO indexed_kernels(kernel_id, problem, fingerprint, "
                                  "states) VALUES(?, ?, ?, ?)"
                                : "INSERT INTO indexed_kernels(kernel_id, problem, fingerprint, "
                                  "states, seq) VALUES(?, ?, ?, ?, ?)"));
  insert.bind(kernel.id).bind(problem.first).bind(code.id).bind(place.states);
  if (place.seq != 0) {
    insert.bind(place.seq);
  }
  WS_TRY(const std::int64_t number, insert.insert("seq"));
  WS_TRY(const std::string words, all_words(connection, kernel.id, traits.words, problem.second));
  WS_CHECK(add_everywhere(connection, place.states, number, words));
  const bool new_to_code = (place.states & ~code.states) != 0;
  return new_to_code ? refresh_fingerprint(connection, code.id) : Status();
}

Status refresh_states(Connection& connection, const std::string& kernel_id) {
  WS_TRY(const IndexedKernel kernel, indexed(connection, kernel_id));
  WS_TRY(const std::int64_t states, states_of_kernel(connection, kernel.seq));
  if (kernel.seq == 0 || states == kernel.states) {
    return {};
  }
  WS_TRY(Statement update,
         connection.prepare("UPDATE indexed_kernels SET states = ? WHERE seq = ?"));
  WS_CHECK(update.bind(states).bind(kernel.seq).run());
  WS_TRY(const std::string words, words_of_kernel(connection, kernel.seq));
  for (const State state : {State::kFailed, State::kPassed}) {
    const auto bit = static_cast<std::int64_t>(state);
    if ((states & bit) != 0 && (kernel.states & bit) == 0) {
      WS_CHECK(add_words(connection, state, kernel.seq, words));
    }
    if ((states & bit) == 0 && (kernel.states & bit) != 0) {
      WS_CHECK(remove_words(connection, state, kernel.seq, words));
    }
  }
  return kernel.fingerprint != 0 ? refresh_fingerprint(connection, kernel.fingerprint) : Status();
}

Status unindex_kernel(Connection& connection, const std::string& kernel_id) {
  WS_CHECK(remove_operations(connection, kernel_id));  // Also of one that the index lacks.
  WS_TRY(const IndexedKernel kernel, indexed(connection, kernel_id));
  if (kernel.seq == 0) {
    return {};
  }
  WS_TRY(const std::string words, words_of_kernel(connection, kernel.seq));
  WS_CHECK(remove_everywhere(connection, kernel.states, kernel.seq, words));
  for (const char* sql :
       {"DELETE FROM standings WHERE kernel = ?", "DELETE FROM indexed_kernels WHERE seq = ?"}) {
    WS_TRY(Statement remove, connection.prepare(sql));
    WS_CHECK(remove.bind(kernel.seq).run());
  }
  return kernel.fingerprint != 0 ? refresh_fingerprint(connection, kernel.fingerprint) : Status();
}

Status change_labels(Connection& connection, const std::string& kernel_id,
                     const std::function<Status()>& change) {
  WS_TRY(const IndexedKernel kernel, indexed(connection, kernel_id));
  WS_TRY(const std::string before, words_of_kernel(connection, kernel.seq));
  WS_CHECK(change());
  WS_TRY(const std::string after, words_of_kernel(connection, kernel.seq));
  if (after == before) {
    return {};
  }
  WS_CHECK(remove_everywhere(connection, kernel.states, kernel.seq, before));
  return add_everywhere(connection, kernel.states, kernel.seq, after);
}

}  // namespace ws::store
