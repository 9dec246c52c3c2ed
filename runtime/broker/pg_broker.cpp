// The methods for those who want jobs done.
#include "runtime/broker/pg_broker.h"

#include <array>
#include <utility>

#include "runtime/base/hash.h"
#include "runtime/base/log.h"
#include "runtime/broker/pg_channels.h"

namespace ws {
namespace {

constexpr std::pair<NodeJobState, std::string_view> kStates[] = {
    {NodeJobState::kQueued, "queued"}, {NodeJobState::kRunning, "running"},
    {NodeJobState::kDone, "done"},     {NodeJobState::kFailed, "failed"},
    {NodeJobState::kLost, "lost"},     {NodeJobState::kCancelled, "cancelled"}};

constexpr std::size_t kFrontDigits = 16;

NodeJobState state_named(std::string_view name) {
  for (const auto& [state, word] : kStates) {
    if (word == name) {
      return state;
    }
  }
  return NodeJobState::kLost;
}

NodeJobView read_view(const Statement& row) {
  return {.id = row.text(0),
          .tool = row.text(1),
          .arguments = row.text(2),
          .owner = row.text(3),
          .shares = row.integer(4) != 0,
          .state = state_named(row.text(5)),
          .node = row.text(6),
          .attempt = row.integer(7),
          .position = row.integer(8),
          .progress = {.fraction = row.real(9).value_or(0),
                       .message = row.text(10),
                       .partial = row.text(11)},
          .result = row.text(12),
          .created_ms = row.integer(13),
          .changed_ms = row.integer(14)};
}

}  // namespace

std::string_view name_of(NodeJobState state) {
  for (const auto& [known, word] : kStates) {
    if (known == state) {
      return word;
    }
  }
  return "lost";
}

PgBroker::PgBroker(const std::string& url, std::size_t connections)
    : front_(random_hex(kFrontDigits)),
      connections_(url, connections),
      jobs_(url, kJobsChannel),
      work_(url, kWorkChannel) {}

void PgBroker::tell(const char* channel, const std::string& what) {
  const Status told = connections_.use([&](Connection& c) -> Status {
    WS_TRY(Statement notice, c.prepare("SELECT node_tell(?, ?)"));
    WS_TRY([[maybe_unused]] const bool row, notice.bind(channel).bind(what).step());
    return {};
  });
  if (!told) {
    log(LogLevel::kDebug, "broker", "a notice was not sent: " + to_text(told.error()));
  }
}

Result<Submitted> PgBroker::submit(const NodeJob& job) {
  WS_TRY(Submitted submitted, connections_.use([&](Connection& c) -> Result<Submitted> {
    WS_TRY(Statement row, c.prepare("SELECT job_id, joined FROM node_submit(?, ?, ?, ?, ?, ?, ?, "
                                    "?, ? <> 0, ? <> 0, ?, ? <> 0)"));
    row.bind(job.id).bind(job.tool).bind(job.arguments).bind(job.lane).bind(job.key);
    row.bind(front_).bind(job.client).bind(job.owner).bind(std::int64_t{job.sees_all});
    row.bind(std::int64_t{job.shares});
    job.most_bytes ? row.bind(*job.most_bytes) : row.bind_null();
    WS_TRY([[maybe_unused]] const bool found, row.bind(std::int64_t{job.background}).step());
    return Submitted{.id = row.text(0), .joined = row.integer(1) != 0};
  }));
  if (!submitted.joined) {
    tell(kWorkChannel, kSomeWork);
  }
  return submitted;
}

Result<std::vector<NodeJobView>> PgBroker::look(const std::vector<std::string>& ids) {
  // The first hundred places of a line are read once, however many jobs of it are looked at; beyond
  // them the place is of no interest.
  constexpr const char* kSql =
      "WITH asked AS (SELECT * FROM node_jobs WHERE id = ANY(string_to_array(?, ','))), "
      "places AS (SELECT place.seq, place.before FROM "
      "(SELECT DISTINCT owner, lane FROM asked WHERE status = 'queued') line CROSS JOIN LATERAL "
      "(SELECT o.seq, row_number() OVER (ORDER BY o.background, o.seq) - 1 AS before "
      "FROM node_jobs o WHERE o.status = 'queued' AND o.owner = line.owner AND o.lane = line.lane "
      "ORDER BY o.background, o.seq LIMIT 100) place) "
      "SELECT j.id, j.tool, j.arguments, j.owner, j.shares, j.status, j.node, j.attempt, "
      "CASE j.status WHEN 'queued' THEN coalesce(p.before, 100) ELSE 0 END, j.fraction, j.message, "
      "j.partial, j.result, CAST(extract(epoch FROM j.created_at) * 1000 AS BIGINT), "
      "CAST(extract(epoch FROM j.changed_at) * 1000 AS BIGINT) "
      "FROM asked j LEFT JOIN places p ON p.seq = j.seq";
  return connections_.use([&](Connection& c) -> Result<std::vector<NodeJobView>> {
    WS_TRY(Statement rows, c.prepare(kSql));
    return read_rows(rows.bind(joined_words(ids)), read_view);
  });
}

Status PgBroker::want(const std::string& id, const std::string& client) {
  return connections_.use([&](Connection& c) -> Status {
    WS_TRY(Statement want,
           c.prepare("INSERT INTO node_job_clients(job_id, front, client) SELECT id, ?, ? FROM "
                     "node_jobs WHERE id = ? AND status IN ('queued', 'running') "
                     "ON CONFLICT DO NOTHING"));
    return want.bind(front_).bind(client).bind(id).run();
  });
}

Result<Withdrawal> PgBroker::withdraw(const std::string& id) {
  return take_back(id, std::nullopt, false);
}

Result<Withdrawal> PgBroker::cancel(const std::string& id, const std::string& client,
                                    bool wanted_here) {
  return take_back(id, client, wanted_here);
}

Result<Withdrawal> PgBroker::take_back(const std::string& id,
                                       const std::optional<std::string>& client, bool wanted_here) {
  WS_TRY(const std::string word, connections_.use([&](Connection& c) -> Result<std::string> {
    WS_TRY(Statement row, c.prepare("SELECT node_cancel(?, ?, ?, ? <> 0)"));
    row.bind(id).bind(front_);
    client ? row.bind(*client) : row.bind_null();
    WS_TRY([[maybe_unused]] const bool found, row.bind(std::int64_t{wanted_here}).step());
    return row.text(0);
  }));
  if (word.empty()) {
    return fail(ErrorCode::kNotFound, "no job `" + id + "`");
  }
  if (word == "ended") {
    tell(kJobsChannel, id);
    return Withdrawal::kEnded;
  }
  if (word == "stopping") {
    tell(kWorkChannel, id);
    return Withdrawal::kStopping;
  }
  return word == "stays" ? Withdrawal::kStays : Withdrawal::kOver;
}

Result<JobNews> PgBroker::wait(std::chrono::milliseconds most, const std::stop_token& stop) {
  return jobs_.wait(most, stop);
}

}  // namespace ws
