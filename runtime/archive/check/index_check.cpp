#include "runtime/archive/check/index_check.h"

#include <algorithm>
#include <array>
#include <map>
#include <unordered_set>
#include <utility>

#include "runtime/archive/check/operation_check.h"
#include "runtime/archive/search/kernel_status.h"
#include "runtime/archive/search/kernel_traits.h"
#include "runtime/archive/search/kernel_words.h"
#include "runtime/archive/search/search_index.h"
#include "runtime/base/hash.h"
#include "runtime/search/problem_facts.h"

namespace ws::store {
namespace {

constexpr std::size_t kMaxFindings = 20;
constexpr State kStateWords[] = {State::kUnjudged, State::kFailed, State::kPassed};

std::uint64_t hash_of(std::string_view word) {
  return fast_hash(word.data(), word.size(), 0);
}

/// The sum over the words of a document: the order in which they come does not count, as tables of
/// words give theirs by word and not by document.
std::uint64_t hash_of_words(const std::string& text) {
  std::unordered_set<std::string_view> seen;
  std::uint64_t sum = 0;
  for (std::size_t from = 0; from < text.size();) {
    const std::size_t end = std::min(text.find(' ', from), text.size());
    const std::string_view word = std::string_view(text).substr(from, end - from);
    if (!word.empty() && seen.insert(word).second) {
      sum += hash_of(word);
    }
    from = end + 1;
  }
  return sum;
}

Result<std::vector<std::string>> judged_devices(Connection& connection,
                                                const std::string& kernel_id) {
  WS_TRY(Statement row,
         connection.prepare("SELECT DISTINCT device FROM evidence WHERE kernel_id = ?"));
  row.bind(kernel_id);
  return texts(row);
}

/// By device, as they are stored.
Result<std::map<std::string, KernelStatus>> stored_statuses(Connection& connection,
                                                            std::int64_t seq) {
  WS_TRY(Statement rows,
         connection.prepare("SELECT device, state, verdict, evidence_id, at_ms, arch, ratio, "
                            "against FROM standings WHERE kernel = ?"));
  std::map<std::string, KernelStatus> all;
  WS_CHECK(for_each_row(rows.bind(seq), [&](const Statement& row) {
    all[row.text(0)] = {static_cast<State>(row.integer(1)),
                        verdict_of_row(row.text(2)),
                        row.text(3),
                        row.integer(4),
                        row.text(5),
                        row.real(6),
                        row.text(7)};
  }));
  return all;
}

/// True when the stored statuses are what the evidence comes to, and `states` is their sum.
Result<bool> same_statuses(Connection& connection, const std::string& kernel_id, std::int64_t seq,
                           std::int64_t states) {
  WS_TRY(const std::vector<std::string> devices, judged_devices(connection, kernel_id));
  std::map<std::string, KernelStatus> wanted;
  std::int64_t sum = 0;
  for (const std::string& device : devices) {
    WS_TRY(const std::optional<KernelStatus> status,
           kernel_status_of(connection, kernel_id, device));
    if (status) {
      wanted[device] = *status;
      sum |= static_cast<std::int64_t>(status->state);
    }
  }
  WS_TRY(const auto stored, stored_statuses(connection, seq));
  return stored == wanted && states == sum;
}

class IndexChecker {
 public:
  explicit IndexChecker(Connection& connection)
      : connection_(connection) {}

  Result<IndexCheck> run() {
    for (const State state : kStateWords) {
      WS_CHECK(read_words(state));
    }
    WS_CHECK(problems());
    WS_CHECK(kernels());
    WS_CHECK(leftovers());
    WS_TRY(const std::vector<WrongOperations> operations, check_operations(connection_));
    for (const WrongOperations& row : operations) {
      note(row.what, row.wrong);
    }
    return std::move(check_);
  }

 private:
  /// Hashes, for each kernel, the words that a table has for it.
  Status read_words(State state) {
    std::vector<std::uint64_t>& sums = words_.at(static_cast<std::size_t>(state));
    return for_each_word(connection_, state, [&](std::int64_t number, std::string_view word) {
      const auto seq = static_cast<std::size_t>(std::max<std::int64_t>(number, 0));
      if (seq >= sums.size()) {
        sums.resize(seq + 1);
      }
      sums[seq] += hash_of(word);
    });
  }

  Status problems() {
    WS_TRY(Statement rows,
           connection_.prepare("SELECT p.id, p.json, coalesce(f.op, ''), coalesce(f.facts, '') "
                               "FROM problems p LEFT JOIN problem_facts f ON f.problem_id = p.id"));
    WS_CHECK(for_each_row(rows, [&](const Statement& row) {
      const ProblemFacts facts = problem_facts(row.text(1));
      if (facts.op != row.text(2) || facts_text(facts) != row.text(3)) {
        note(row.text(0), "its facts differ");
      }
    }));
    return {};
  }

  Status kernels() {
    WS_TRY(Statement rows,
           connection_.prepare("SELECT k.id, k.name, k.problem_id, k.json, i.seq, i.states, "
                               "f.hash, f.signature, f.states, p.op "
                               "FROM kernels k LEFT JOIN indexed_kernels i ON i.kernel_id = k.id "
                               "LEFT JOIN fingerprints f ON f.id = i.fingerprint "
                               "LEFT JOIN problem_facts p ON p.seq = i.problem "
                               "AND p.problem_id = k.problem_id"));
    WS_CHECK(for_each_row(rows, [&](const Statement& row) -> Status {
      WS_TRY(const std::string wrong, difference(row));
      if (!wrong.empty()) {
        note(row.text(0), wrong);
      }
      return {};
    }));
    return {};
  }

  /// Empty where all is right. @param row  As kernels() selects them.
  Result<std::string> difference(const Statement& row) {
    const std::int64_t seq = row.integer(4);
    const std::int64_t states = row.integer(5);
    if (seq == 0) {
      return std::string("is not there");
    }
    const KernelRow kernel = {row.text(0), row.text(1), row.text(2), {}, row.text(3), {}};
    const KernelTraits traits = traits_of(kernel);
    const bool same_code = traits.code ? row.integer(6) == traits.code->hash &&
                                             signature_from(row.text(7)) == traits.code->signature
                                       : row.text(7).empty();
    if (!same_code || (traits.code && (row.integer(8) & states) != states)) {
      return std::string("its fingerprint differs");
    }
    WS_TRY(const std::vector<std::string> all,
           all_words(connection_, {{kernel.id, traits.words, row.text(9)}}));
    const std::string& words = all.front();
    const std::uint64_t hash = hash_of_words(words);
    for (const State state : kStateWords) {
      const auto bit = static_cast<std::int64_t>(state);
      const bool there = state == State::kUnjudged || (states & bit) != 0;
      if (take(state, seq) != (there ? hash : 0)) {
        return std::string("its words differ");
      }
    }
    WS_TRY(const bool status, same_statuses(connection_, kernel.id, seq, states));
    return std::string(status ? "" : "its status differs");
  }

  /// The hash of a kernel's words in a table, which is then empty.
  std::uint64_t take(State state, std::int64_t seq) {
    std::vector<std::uint64_t>& sums = words_.at(static_cast<std::size_t>(state));
    const auto at = static_cast<std::size_t>(seq);
    return at < sums.size() ? std::exchange(sums[at], 0) : 0;
  }

  /// Reports rows of the index that belong to no kernel, and bands that are missing.
  Status leftovers() {
    for (const std::vector<std::uint64_t>& sums : words_) {
      for (std::size_t seq = 0; seq < sums.size(); ++seq) {
        if (sums[seq] != 0) {
          note("number " + std::to_string(seq), "there are words of no kernel");
        }
      }
    }
    return bands();
  }

  Status bands() {
    WS_TRY(Statement all, connection_.prepare("SELECT count(*) FROM fingerprint_bands"));
    WS_TRY([[maybe_unused]] const bool counted, all.step());
    std::int64_t left = all.integer(0);
    WS_TRY(Statement band, connection_.prepare("SELECT 1 FROM fingerprint_bands WHERE band = ? "
                                               "AND states = ? AND fingerprint = ?"));
    WS_TRY(Statement rows, connection_.prepare("SELECT id, states, signature FROM fingerprints"));
    WS_CHECK(for_each_row(rows, [&](const Statement& row) -> Status {
      const auto keys = bands_of(signature_from(row.text(2)).value_or(Signature{}));
      std::size_t met = 0;
      const std::unordered_set<std::uint32_t> distinct(keys.begin(), keys.end());
      for (const std::uint32_t key : distinct) {
        band.reset().bind(std::int64_t{key}).bind(row.integer(1)).bind(row.integer(0));
        WS_TRY(const bool found, band.step());
        met += found ? 1U : 0U;
      }
      left -= static_cast<std::int64_t>(met);
      if (met != distinct.size()) {
        note("fingerprint " + std::to_string(row.integer(0)), "its bands differ");
      }
      return {};
    }));
    if (left != 0) {
      note("bands", std::to_string(left) + " are of no fingerprint");
    }
    return {};
  }

  void note(const std::string& what, const std::string& wrong) {
    ++check_.wrong;
    if (check_.findings.size() < kMaxFindings) {
      check_.findings.push_back(what + ": in the search index: " + wrong);
    }
  }

  Connection& connection_;
  IndexCheck check_;
  std::array<std::vector<std::uint64_t>, std::size(kStateWords)>
      words_;  ///< By state, then number.
};

}  // namespace

Result<IndexCheck> check_index(Connection& connection) {
  return IndexChecker(connection).run();
}

}  // namespace ws::store
