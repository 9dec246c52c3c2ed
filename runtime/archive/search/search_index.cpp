#include "runtime/archive/search/search_index.h"

#include <map>
#include <utility>

#include "runtime/archive/search/fingerprint_index.h"
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

struct IndexedProblem {
  std::int64_t seq = 0;  ///< 0: it is not indexed.
  std::string op{};
};

/// The problems of these kernels, by their ids.
Result<std::map<std::string, IndexedProblem>> problems_of(
    Connection& connection, const std::vector<KernelToIndex>& kernels) {
  std::map<std::string, IndexedProblem> problems;
  std::vector<std::string> ids;
  for (const KernelToIndex& kernel : kernels) {
    if (problems.try_emplace(kernel.row->problem_id).second) {
      ids.push_back(kernel.row->problem_id);
    }
  }
  WS_TRY(Statement row,
         connection.prepare("SELECT seq, op FROM problem_facts WHERE problem_id = ?"));
  WS_CHECK(for_each_run(
      row, ids.size(), [&](Statement& statement, std::size_t i) { statement.bind(ids[i]); },
      [&](std::size_t i, const Statement& found) {
        problems[ids[i]] = {found.integer(0), found.text(1)};
      }));
  return problems;
}

Result<std::vector<std::int64_t>> insert_kernels(
    Connection& connection, const std::vector<KernelToIndex>& kernels,
    const std::map<std::string, IndexedProblem>& problems,
    const std::vector<CodeFingerprint>& codes) {
  const bool with_numbers = kernels.front().place.seq != 0;
  WS_TRY(Statement insert,
         connection.prepare(with_numbers ? "INSERT INTO indexed_kernels(kernel_id, problem, "
                                           "fingerprint, states, seq) VALUES(?, ?, ?, ?, ?)"
                                         : "INSERT INTO indexed_kernels(kernel_id, problem, "
                                           "fingerprint, states) VALUES(?, ?, ?, ?)"));
  return insert_all(insert, "seq", kernels.size(), [&](Statement& statement, std::size_t i) {
    const KernelToIndex& kernel = kernels[i];
    statement.bind(kernel.row->id).bind(problems.at(kernel.row->problem_id).seq);
    statement.bind(codes[i].id).bind(kernel.place.states);
    if (with_numbers) {
      statement.bind(kernel.place.seq);
    }
  });
}

/// @param numbers  Of the kernels, in the index.
Status index_words(Connection& connection, const std::vector<KernelToIndex>& kernels,
                   const std::map<std::string, IndexedProblem>& problems,
                   const std::vector<std::int64_t>& numbers) {
  std::vector<WordSources> sources;
  sources.reserve(kernels.size());
  for (const KernelToIndex& kernel : kernels) {
    sources.push_back(
        {kernel.row->id, kernel.traits->words, problems.at(kernel.row->problem_id).op});
  }
  WS_TRY(std::vector<std::string> words, all_words(connection, sources));
  std::vector<IndexedWords> rows;
  for (std::size_t i = 0; i < kernels.size(); ++i) {
    rows.push_back({numbers[i], kernels[i].place.states, std::move(words[i])});
  }
  return add_everywhere(connection, rows);
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

Status index_kernels(Connection& connection, const std::vector<KernelToIndex>& kernels) {
  if (kernels.empty()) {
    return {};
  }
  WS_TRY(const auto problems, problems_of(connection, kernels));
  std::vector<CodeToIndex> sources;
  for (const KernelToIndex& kernel : kernels) {
    sources.push_back({kernel.traits->code ? &*kernel.traits->code : nullptr, kernel.place.states});
  }
  WS_TRY(const std::vector<CodeFingerprint> codes, fingerprints_of(connection, sources));
  WS_TRY(const auto numbers, insert_kernels(connection, kernels, problems, codes));
  WS_CHECK(index_words(connection, kernels, problems, numbers));
  for (std::size_t i = 0; i < kernels.size(); ++i) {
    if ((kernels[i].place.states & ~codes[i].states) != 0) {  // New to this code.
      WS_CHECK(refresh_fingerprint(connection, codes[i].id));
    }
  }
  return {};
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
      WS_CHECK(add_words(connection, state, {{kernel.seq, states, words}}));
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
  return add_everywhere(connection, {{kernel.seq, kernel.states, after}});
}

}  // namespace ws::store
