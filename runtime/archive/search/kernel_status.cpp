#include "runtime/archive/search/kernel_status.h"

#include <algorithm>
#include <optional>
#include <vector>

#include <nlohmann/json.hpp>

#include "runtime/archive/search/search_index.h"
#include "runtime/archive/store/visible.h"
#include "runtime/base/viewer.h"

namespace ws::store {
namespace {

using Json = nlohmann::json;

Result<std::vector<std::int64_t>> numbers(Statement& rows) {
  std::vector<std::int64_t> found;
  while (true) {
    WS_TRY(const bool more, rows.step());
    if (!more) {
      return found;
    }
    found.push_back(rows.integer(0));
  }
}

/// The validation that counts, by its number; 0: none. One that proves the kernel wrong before all
/// others. Of a question that was asked again only the newest answer does; a failure before a
/// success; not what says nothing of the kernel.
Result<std::int64_t> deciding(Connection& connection, const std::string& kernel_id,
                              const std::string& device) {
  WS_TRY(Statement rows,
         connection.prepare("SELECT seq, key, verdict FROM evidence WHERE kernel_id = ? AND "
                            "device = ? AND kind = 'validate'" +
                            and_seen("evidence.id") + " ORDER BY key, seq"));
  rows.bind(kernel_id).bind(device);
  std::int64_t wrong = 0;
  std::int64_t failed = 0;
  std::int64_t passed = 0;
  const auto count = [&](std::int64_t seq, Verdict verdict) {
    if (seq != 0 && verdict != Verdict::kUnsupported && verdict != Verdict::kInvalidReference) {
      std::int64_t& newest = verdict == Verdict::kPassed ? passed : failed;
      newest = std::max(newest, seq);
    }
  };
  std::int64_t seq = 0;  // The newest so far of the question `key`.
  std::string key;
  Verdict verdict = Verdict::kPassed;
  while (true) {
    WS_TRY(const bool more, rows.step());
    if (!more || rows.text(1) != key) {
      count(seq, verdict);
    }
    if (!more) {
      return wrong != 0 ? wrong : failed != 0 ? failed : passed;
    }
    seq = rows.integer(0);
    key = rows.text(1);
    verdict = verdict_of_row(rows.text(2));
    wrong = facts_of(verdict).proves_wrong ? std::max(wrong, seq) : wrong;
  }
}

/// The newest compile, by its number; 0: none.
Result<std::int64_t> newest_compile(Connection& connection, const std::string& kernel_id,
                                    const std::string& device) {
  WS_TRY(Statement row, connection.prepare("SELECT coalesce(max(seq), 0) FROM evidence WHERE "
                                           "kernel_id = ? AND device = ? AND kind = 'compile'" +
                                           and_seen("evidence.id")));
  WS_TRY([[maybe_unused]] const bool found, row.bind(kernel_id).bind(device).step());
  return row.integer(0);
}

Result<std::optional<KernelStatus>> validated(Connection& connection, const std::string& kernel_id,
                                              const std::string& device) {
  WS_TRY(std::int64_t seq, deciding(connection, kernel_id, device));
  if (seq == 0) {
    WS_TRY(seq, newest_compile(connection, kernel_id, device));
  }
  WS_TRY(Statement row, connection.prepare("SELECT verdict, id, created_ms, json FROM evidence "
                                           "WHERE seq = ?"));
  WS_TRY(const bool found, row.bind(seq).step());
  const Verdict verdict = found ? verdict_of_row(row.text(0)) : Verdict::kCompiled;
  if (verdict == Verdict::kCompiled) {
    return std::optional<KernelStatus>();
  }
  const Json record = Json::parse(row.text(3), nullptr, false);
  KernelStatus status;
  status.verdict = verdict;
  status.state = verdict == Verdict::kPassed ? State::kPassed : State::kFailed;
  status.evidence_id = row.text(1);
  status.at_ms = row.integer(2);
  status.arch = record.is_object() && record.contains("device")
                    ? text_field(record["device"], "arch")
                    : std::string();
  return std::optional<KernelStatus>(std::move(status));
}

/// Benchmarks by their numbers, the newest first, no more than count.
Result<std::vector<std::int64_t>> newest_benchmarks(Connection& connection,
                                                    const std::string& kernel_id,
                                                    const std::string& device) {
  constexpr std::size_t kMost = 8;
  WS_TRY(Statement rows, connection.prepare("SELECT seq FROM evidence WHERE kernel_id = ? AND "
                                            "device = ? AND kind = 'benchmark'" +
                                            and_seen_evidence("evidence")));
  WS_TRY(std::vector<std::int64_t> all, numbers(rows.bind(kernel_id).bind(device)));
  std::sort(all.rbegin(), all.rend());
  all.resize(std::min(all.size(), kMost));
  return all;
}

/// The speed-up that a benchmark proves: the lower end of its interval. Ranked by the ratio
/// itself, the luckiest measurement would come first.
double vouched_ratio(const Json& output) {
  const Json interval = output.value("ratio_ci", Json::array());
  const bool known = interval.is_array() && !interval.empty() && interval[0].is_number();
  return known ? interval[0].get<double>() : output["ratio"].get<double>();
}

/// The question that a benchmark answered: ratios of other workloads, parameters or caches do not
/// compare.
Json question_of(const std::string& key) {
  const Json asked = Json::parse(key, nullptr, false);
  Json question = Json::object();
  for (const char* field : {"workloads", "params", "cache"}) {
    if (asked.is_object() && asked.contains(field)) {
      question[field] = asked[field];
    }
  }
  return question;
}

/// A ratio of a benchmark, and what stands with it.
struct Timed {
  double ratio = 0;
  std::string against;
  Json question;
  std::string evidence_id;
};

/// Whether a ratio ranks before the one so far, which is newer. One against the reference does,
/// whose ratios compare; of equal questions the least does, as the best of many would be luck.
bool ranks_before(const Timed& one, const Timed& so_far) {
  if (one.against != so_far.against) {
    return one.against == "reference";
  }
  return one.against == "reference" && one.question == so_far.question && one.ratio < so_far.ratio;
}

/// The ratio of the newest benchmarks that counts. Only another benchmark says that a suspect one
/// was a mistake, and what was measured before it was measured of a kernel that may have cheated.
Status add_speed(Connection& connection, const std::string& kernel_id, const std::string& device,
                 KernelStatus& status) {
  WS_TRY(const std::vector<std::int64_t> benchmarks,
         newest_benchmarks(connection, kernel_id, device));
  WS_TRY(Statement row, connection.prepare("SELECT verdict, id, created_ms, json, key FROM "
                                           "evidence WHERE seq = ?"));
  std::optional<Timed> best;
  for (const std::int64_t seq : benchmarks) {
    WS_TRY([[maybe_unused]] const bool found, row.reset().bind(seq).step());
    const auto verdict = verdict_of(row.text(0));
    if (verdict == Verdict::kSuspect) {
      if (seq == benchmarks.front()) {
        status.state = State::kFailed;
        status.verdict = Verdict::kSuspect;
        status.evidence_id = row.text(1);
        status.at_ms = row.integer(2);
      }
      break;
    }
    const Json record = Json::parse(row.text(3), nullptr, false);
    const Json output =
        record.is_object() ? record.value("output", Json::object()) : Json::object();
    if (!output.contains("ratio") || !output["ratio"].is_number()) {
      continue;
    }
    Timed timed{.ratio = vouched_ratio(output),
                .against = text_field(output, "baseline"),
                .question = question_of(row.text(4)),
                .evidence_id = row.text(1)};
    if (!best || ranks_before(timed, *best)) {
      best = std::move(timed);
    }
  }
  if (best) {
    status.ratio = best->ratio;
    status.against = best->against;
    status.evidence_id = best->evidence_id;
  }
  return {};
}

}  // namespace

Result<std::optional<KernelStatus>> kernel_status_of(Connection& connection,
                                                     const std::string& kernel_id,
                                                     const std::string& device) {
  WS_TRY(std::optional<KernelStatus> status, validated(connection, kernel_id, device));
  if (status && status->state == State::kPassed) {
    WS_CHECK(add_speed(connection, kernel_id, device, *status));
  }
  return status;
}

Status put_kernel_status(Connection& connection, const std::string& kernel_id,
                         const std::string& device, const KernelStatus& status) {
  WS_TRY(Statement kernel,
         connection.prepare("SELECT seq, problem FROM indexed_kernels WHERE kernel_id = ?"));
  WS_TRY(const bool indexed, kernel.bind(kernel_id).step());
  if (!indexed) {
    return {};
  }
  // An INSERT from a SELECT, or one that replaces, would have FTS5 write out what waits each time.
  WS_TRY(Statement insert,
         connection.prepare(
             "INSERT INTO standings(kernel, device, problem, state, verdict, evidence_id, "
             "against, arch, at_ms, ratio) VALUES(?, ?, ?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT"
             "(kernel, device) DO UPDATE SET state = excluded.state, verdict = excluded.verdict, "
             "evidence_id = "
             "excluded.evidence_id, against = excluded.against, arch = excluded.arch, "
             "at_ms = excluded.at_ms, ratio = excluded.ratio"));
  insert.bind(kernel.integer(0))
      .bind(device)
      .bind(kernel.integer(1))
      .bind(static_cast<std::int64_t>(status.state))
      .bind(name_of(status.verdict))
      .bind(status.evidence_id)
      .bind(status.against)
      .bind(status.arch)
      .bind(status.at_ms);
  if (status.ratio) {
    insert.bind_real(*status.ratio);
  } else {
    insert.bind_null();
  }
  return insert.run();
}

Status refresh_kernel_status(Connection& connection, const std::string& kernel_id,
                             const std::string& device) {
  const ViewerScope all(nullptr);  // The stored status follows from all evidence.
  WS_TRY(const std::optional<KernelStatus> status, kernel_status_of(connection, kernel_id, device));
  if (!status) {
    return {};
  }
  WS_CHECK(put_kernel_status(connection, kernel_id, device, *status));
  return refresh_states(connection, kernel_id);
}

}  // namespace ws::store
