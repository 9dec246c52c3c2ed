#include "runtime/archive/search/fingerprint_index.h"

#include <map>
#include <optional>

#include "runtime/archive/search/kernel_status.h"

namespace ws::store {
namespace {

/// A source that one or several kernels have.
struct NewCode {
  const CodeTraits* traits = nullptr;
  CodeFingerprint fingerprint{};  ///< Its states are those of these kernels, as long as it is new.
};

using Codes = std::map<std::int64_t, NewCode>;  // By their hashes.

/// Fills in those that are there. @return  The others.
Result<std::vector<NewCode*>> find_known(Connection& connection, Codes& codes) {
  std::vector<NewCode*> all;
  all.reserve(codes.size());
  for (auto& [hash, code] : codes) {
    all.push_back(&code);
  }
  WS_TRY(Statement known, connection.prepare("SELECT id, states FROM fingerprints WHERE hash = ?"));
  WS_CHECK(for_each_run(
      known, all.size(),
      [&](Statement& statement, std::size_t i) { statement.bind(all[i]->traits->hash); },
      [&](std::size_t i, const Statement& row) {
        all[i]->fingerprint = {row.integer(0), row.integer(1)};
      }));
  std::erase_if(all, [](const NewCode* code) { return code->fingerprint.id != 0; });
  return all;
}

Status insert_bands(Connection& connection, const std::vector<NewCode*>& codes) {
  WS_TRY(Statement band,
         connection.prepare("INSERT INTO fingerprint_bands(band, states, fingerprint) "
                            "VALUES(?, ?, ?) ON CONFLICT DO NOTHING"));
  std::vector<std::uint32_t> keys;
  for (const NewCode* code : codes) {
    const auto own = bands_of(code->traits->signature);
    keys.insert(keys.end(), own.begin(), own.end());
  }
  return run_all(band, keys.size(), [&](Statement& statement, std::size_t i) {
    const CodeFingerprint& fingerprint = codes[i / kBands]->fingerprint;
    statement.bind(std::int64_t{keys[i]}).bind(fingerprint.states).bind(fingerprint.id);
  });
}

Status insert_new(Connection& connection, const std::vector<NewCode*>& codes) {
  WS_TRY(Statement insert,
         connection.prepare("INSERT INTO fingerprints(hash, states, signature) VALUES(?, ?, ?)"));
  WS_TRY(const std::vector<std::int64_t> ids,
         insert_all(insert, "id", codes.size(), [&](Statement& statement, std::size_t i) {
           const CodeTraits& traits = *codes[i]->traits;
           statement.bind(traits.hash).bind(codes[i]->fingerprint.states);
           statement.bind_blob(traits.signature.data(), sizeof(traits.signature));
         }));
  for (std::size_t i = 0; i < codes.size(); ++i) {
    codes[i]->fingerprint.id = ids[i];
  }
  return insert_bands(connection, codes);
}

/// The sum over a fingerprint's kernels; nothing when it has none.
Result<std::optional<std::int64_t>> states_of_fingerprint(Connection& connection,
                                                          std::int64_t fingerprint) {
  WS_TRY(Statement row, connection.prepare("SELECT 1 FROM indexed_kernels "
                                           "WHERE fingerprint = ? AND states = ? LIMIT 1"));
  std::optional<std::int64_t> all;
  WS_CHECK(for_each_run(
      row, kAllStates + 1,
      [&](Statement& statement, std::size_t states) {
        statement.bind(fingerprint).bind(static_cast<std::int64_t>(states));
      },
      [&](std::size_t states, const Statement&) {
        all = all.value_or(0) | static_cast<std::int64_t>(states);
      }));
  return all;
}

}  // namespace

Result<std::vector<CodeFingerprint>> fingerprints_of(Connection& connection,
                                                     const std::vector<CodeToIndex>& sources) {
  Codes codes;
  for (const CodeToIndex& source : sources) {
    if (source.traits != nullptr) {
      NewCode& code = codes[source.traits->hash];
      code.traits = source.traits;
      code.fingerprint.states |= source.states;
    }
  }
  WS_TRY(const std::vector<NewCode*> unknown, find_known(connection, codes));
  WS_CHECK(insert_new(connection, unknown));
  std::vector<CodeFingerprint> found;
  for (const CodeToIndex& source : sources) {
    found.push_back(source.traits == nullptr ? CodeFingerprint{0, source.states}
                                             : codes[source.traits->hash].fingerprint);
  }
  return found;
}

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
  const auto keys = bands_of(signature_from(row.text(1)).value_or(Signature{}));
  WS_CHECK(run_all(band, keys.size(), [&](Statement& statement, std::size_t i) {
    statement.bind(std::int64_t{keys.at(i)}).bind(old).bind(fingerprint);
    if (states) {
      statement.bind(*states);
    }
  }));
  WS_TRY(Statement update,
         connection.prepare(states ? "UPDATE fingerprints SET states = ?2 WHERE id = ?1"
                                   : "DELETE FROM fingerprints WHERE id = ?1"));
  update.bind(fingerprint);
  if (states) {
    update.bind(*states);
  }
  return update.run();
}

}  // namespace ws::store
