#include "runtime/archive/search_index.h"

#include <vector>

#include <nlohmann/json.hpp>

#include "runtime/archive/standing.h"
#include "runtime/archive/store.h"
#include "runtime/search/fingerprint.h"
#include "runtime/search/kernel_source.h"
#include "runtime/search/problem_facts.h"
#include "runtime/search/words.h"

namespace ws::store {
namespace {

using Json = nlohmann::json;

constexpr std::size_t kMaxWords = 400;

std::string joined(const std::vector<std::string>& words) {
  std::string text;
  for (const std::string& word : words) {
    text += (text.empty() ? "" : " ") + word;
  }
  return text;
}

std::string text_field(const Json& object, const char* key) {
  const auto found = object.find(key);
  return found != object.end() && found->is_string() ? found->get<std::string>() : std::string();
}

Status add_words(Connection& connection, const char* table, std::int64_t row,
                 const std::string& words) {
  WS_TRY(Statement insert,
         connection.prepare("INSERT INTO " + std::string(table) + "(rowid, words) VALUES(?, ?)"));
  return insert.bind(row).bind(words).run();
}

/// The fingerprint of a source, added when it is new; 0 of one without a token.
Result<std::int64_t> fingerprint_id(Connection& connection, const std::string& source) {
  const std::vector<std::uint64_t> runs = token_runs(source);
  if (runs.empty()) {
    return 0;
  }
  const std::int64_t hash = runs_hash(runs);
  WS_TRY(Statement known, connection.prepare("SELECT id FROM fingerprints WHERE hash = ?"));
  WS_TRY(const bool found, known.bind(hash).step());
  if (found) {
    return known.integer(0);
  }
  const Signature signature = signature_of(runs);
  WS_TRY(Statement insert,
         connection.prepare("INSERT INTO fingerprints(hash, signature) VALUES(?, ?)"));
  WS_CHECK(insert.bind(hash).bind_blob(signature.data(), sizeof(signature)).run());
  const std::int64_t id = connection.last_row();
  WS_TRY(Statement band,
         connection.prepare("INSERT INTO fingerprint_bands(band, fingerprint) VALUES(?, ?) "
                            "ON CONFLICT DO NOTHING"));
  for (const std::uint32_t key : bands_of(signature)) {
    WS_CHECK(band.reset().bind(std::int64_t{key}).bind(id).run());
  }
  return id;
}

struct IndexedProblem {
  std::int64_t seq = 0;
  std::string op;
};

Result<IndexedProblem> indexed_problem(Connection& connection, const std::string& id) {
  WS_TRY(Statement row,
         connection.prepare("SELECT seq, op FROM problem_facts WHERE problem_id = ?"));
  WS_TRY(const bool found, row.bind(id).step());
  return found ? IndexedProblem{row.integer(0), row.text(1)} : IndexedProblem{};
}

/// Names and operation first: what is cut off of a long source is said there already.
std::string words_of_kernel(const KernelRow& kernel, const std::string& op, const Json& form,
                            const std::string& source) {
  std::string head =
      kernel.name + " " + op + " " + kernel.problem_id + " " + text_field(form, "language");
  for (const Json& launch : form.value("launches", Json::array())) {
    head += launch.is_object() ? " " + text_field(launch, "entry") : std::string();
  }
  std::vector<std::string> words = words_of(head, kMaxWords);
  for (std::string& word : source_words(source, kMaxWords)) {
    words.push_back(std::move(word));
  }
  return joined(words);
}

Status index_refs(Connection& connection) {
  WS_TRY(Statement refs, connection.prepare("SELECT kernel_id, name FROM refs"));
  while (true) {
    WS_TRY(const bool more, refs.step());
    if (!more) {
      return {};
    }
    WS_CHECK(put_label(connection, {refs.text(0), "ref", refs.text(1), {}}));
  }
}

/// @return  How many there were.
Result<std::int64_t> index_missing_kernels(Connection& connection) {
  WS_TRY(Statement missing, connection.prepare("SELECT id, name, problem_id, json FROM kernels "
                                               "WHERE id NOT IN (SELECT kernel_id FROM "
                                               "indexed_kernels) ORDER BY rowid"));
  for (std::int64_t count = 0;; ++count) {
    WS_TRY(const bool more, missing.step());
    if (!more) {
      return count;
    }
    WS_CHECK(index_kernel(
        connection, {missing.text(0), missing.text(1), missing.text(2), {}, missing.text(3), {}}));
  }
}

Status index_missing_standings(Connection& connection) {
  WS_TRY(
      Statement pairs,
      connection.prepare("SELECT DISTINCT kernel_id, device FROM evidence WHERE kernel_id NOT IN "
                         "(SELECT k.kernel_id FROM indexed_kernels k JOIN standings s "
                         "ON s.kernel = k.seq)"));
  while (true) {
    WS_TRY(const bool more, pairs.step());
    if (!more) {
      return {};
    }
    WS_CHECK(refresh_standing(connection, pairs.text(0), pairs.text(1)));
  }
}

}  // namespace

Status index_problem(Connection& connection, const ProblemRow& problem) {
  const ProblemFacts facts = problem_facts(problem.json);
  WS_TRY(Statement insert,
         connection.prepare("INSERT INTO problem_facts(problem_id, op, facts) VALUES(?, ?, ?) "
                            "ON CONFLICT DO NOTHING"));
  return insert.bind(problem.id).bind(facts.op).bind(facts_text(facts)).run();
}

Status index_kernel(Connection& connection, const KernelRow& kernel) {
  Json form = Json::parse(kernel.json, nullptr, false);
  if (!form.is_object()) {
    form = Json::object();
  }
  const std::string source = kernel_source(kernel.json);
  WS_TRY(const IndexedProblem problem, indexed_problem(connection, kernel.problem_id));
  WS_TRY(const std::int64_t fingerprint, fingerprint_id(connection, source));
  WS_TRY(Statement insert,
         connection.prepare("INSERT INTO indexed_kernels(kernel_id, problem, fingerprint) "
                            "VALUES(?, ?, ?)"));
  WS_CHECK(insert.bind(kernel.id).bind(problem.seq).bind(fingerprint).run());
  return add_words(connection, "kernel_words", connection.last_row(),
                   words_of_kernel(kernel, problem.op, form, source));
}

Status index_label(Connection& connection, std::int64_t row, const std::string& text) {
  return add_words(connection, "label_words", row, joined(words_of(text, kMaxWords)));
}

Status index_missing(Connection& connection) {
  WS_TRY(Statement problems,
         connection.prepare("SELECT id, json FROM problems WHERE id NOT IN "
                            "(SELECT problem_id FROM problem_facts) ORDER BY rowid"));
  while (true) {
    WS_TRY(const bool more, problems.step());
    if (!more) {
      break;
    }
    WS_CHECK(index_problem(connection, {problems.text(0), {}, problems.text(1), {}}));
  }
  WS_TRY(const std::int64_t kernels, index_missing_kernels(connection));
  if (kernels == 0) {
    return {};
  }
  WS_CHECK(index_refs(connection));
  return index_missing_standings(connection);
}

}  // namespace ws::store
