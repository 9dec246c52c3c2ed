// The methods for nodes, and for those who look at them.
#include <algorithm>

#include "runtime/broker/pg_broker.h"
#include "runtime/broker/pg_channels.h"

namespace ws {
namespace {

/// A node without work looks again after so long, should a notice have been lost.
constexpr std::chrono::milliseconds kLookForWork{5000};

constexpr const char* kStatuses[] = {"done", "failed", "cancelled", "queued", "again"};

std::vector<std::string> words_of(const std::string& text) {
  std::vector<std::string> words;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = std::min(text.find(',', at), text.size());
    words.push_back(text.substr(at, end - at));
    at = end + 1;
  }
  return words;
}

/// A claim's eighth column: NULL is no limit.
std::optional<std::int64_t> bytes_in(const Statement& row) {
  return row.real(7) ? std::optional(row.integer(7)) : std::nullopt;
}

NodeRow read_node(const Statement& row) {
  return {.node = {.name = row.text(0),
                   .instance = row.text(1),
                   .host = row.text(2),
                   .devices = row.text(3),
                   .lanes = words_of(row.text(4)),
                   .version = row.text(5)},
          .lives = row.integer(6) != 0,
          .revoked = row.integer(7) != 0,
          .running = row.integer(8),
          .seen_s = row.real(9).value_or(0),
          .started_at = row.text(10)};
}

}  // namespace

Status PgBroker::enter(const NodeInfo& node) {
  WS_TRY(const std::string refusal, connections_.use([&](Connection& c) -> Result<std::string> {
    WS_TRY(Statement row, c.prepare("SELECT node_enter(?, ?, ?, ?, ?, ?)"));
    row.bind(node.name).bind(node.instance).bind(node.host).bind(node.devices);
    WS_TRY([[maybe_unused]] const bool found,
           row.bind(joined_words(node.lanes)).bind(node.version).step());
    return row.text(0);
  }));
  if (refusal == "revoked") {
    return fail(
        ErrorCode::kConflict, "the node `" + node.name + "` was revoked",
        "take another name with --name, or allow it again: warpsmith nodes allow " + node.name);
  }
  constexpr std::string_view kOther = "is not of this role but ";
  if (refusal.starts_with(kOther)) {
    return fail(
        ErrorCode::kConflict,
        "the role that this node connects as may not be the node `" + node.name + "`",
        refusal.size() == kOther.size()
            ? "let the owner of the tables grant it: warpsmith nodes grant ROLE --name " + node.name
            : "start it with --name " + refusal.substr(kOther.size()));
  }
  if (!refusal.empty()) {
    return fail(ErrorCode::kConflict, "a node named `" + node.name + "` " + refusal,
                "take another name with --name; a node that was killed is gone after 30 s");
  }
  return {};
}

Result<ClaimOutcome> PgBroker::claim(const NodeInfo& node) {
  return connections_.use([&](Connection& c) -> Result<ClaimOutcome> {
    WS_TRY(Statement row,
           c.prepare("SELECT id, tool, arguments, client, owner, sees_all, shares, most_bytes, "
                     "background, attempt "
                     "FROM node_claim(?, ?, string_to_array(?, ','))"));
    WS_TRY(const bool found,
           row.bind(node.name).bind(node.instance).bind(joined_words(node.lanes)).step());
    if (found) {
      return ClaimOutcome{.claim = NodeClaim{.id = row.text(0),
                                             .tool = row.text(1),
                                             .arguments = row.text(2),
                                             .client = row.text(3),
                                             .owner = row.text(4),
                                             .sees_all = row.integer(5) != 0,
                                             .shares = row.integer(6) != 0,
                                             .most_bytes = bytes_in(row),
                                             .background = row.integer(8) != 0,
                                             .attempt = row.integer(9)},
                          .look_again = {}};
    }
    // The lease of a node that is gone ends before the next look, maybe.
    WS_TRY(Statement lease, c.prepare("SELECT node_next_lease_end_ms()"));
    WS_TRY([[maybe_unused]] const bool one, lease.step());
    constexpr std::int64_t kBehind = 50;
    const std::int64_t ends_ms = lease.integer(0);
    return ClaimOutcome{
        .claim = std::nullopt,
        .look_again = ends_ms <= 0
                          ? kLookForWork
                          : std::min(kLookForWork, std::chrono::milliseconds(ends_ms + kBehind))};
  });
}

Result<BeatOutcome> PgBroker::beat(const NodeInfo& node, const std::vector<WorkLease>& held) {
  std::vector<std::string> ids;
  std::vector<std::string> attempts;
  for (const WorkLease& lease : held) {
    ids.push_back(lease.job);
    attempts.push_back(std::to_string(lease.attempt));
  }
  return connections_.use([&](Connection& c) -> Result<BeatOutcome> {
    WS_TRY(
        Statement rows,
        c.prepare("SELECT job, held_attempt, wanted FROM node_beat(?, ?, string_to_array(?, ','), "
                  "CAST(string_to_array(?, ',') AS BIGINT[]))"));
    rows.bind(node.name).bind(node.instance).bind(joined_words(ids)).bind(joined_words(attempts));
    BeatOutcome outcome{.cancelled = {}, .lost = held};
    WS_CHECK(for_each_row(rows, [&](const Statement& row) {
      const WorkLease lease{.job = row.text(0), .node = node.name, .attempt = row.integer(1)};
      if (lease.job.empty()) {
        outcome.revoked = true;
        return;
      }
      std::erase(outcome.lost, lease);
      if (row.integer(2) == 0) {
        outcome.cancelled.push_back(lease);
      }
    }));
    return outcome;
  });
}

Status PgBroker::progress(const WorkLease& lease, const Progress& progress) {
  return connections_.use([&](Connection& c) -> Status {
    WS_TRY(Statement row, c.prepare("SELECT node_progress(?, ?, ?, ?, ?, ?)"));
    row.bind(lease.job).bind(lease.node).bind(lease.attempt).bind_real(progress.fraction);
    WS_TRY([[maybe_unused]] const bool found,
           row.bind(progress.message).bind(progress.partial).step());
    return {};
  });
}

Result<bool> PgBroker::finish(const WorkLease& lease, NodeFinish how, const std::string& result,
                              double took_ms) {
  WS_TRY(const std::string status, connections_.use([&](Connection& c) -> Result<std::string> {
    WS_TRY(Statement row, c.prepare("SELECT node_finish(?, ?, ?, ?, ?, ?)"));
    row.bind(lease.job).bind(lease.node).bind(lease.attempt);
    row.bind(kStatuses[static_cast<std::size_t>(how)]).bind(result);
    WS_TRY([[maybe_unused]] const bool found, row.bind_real(took_ms).step());
    return row.text(0);
  }));
  if (status == "refused") {
    return false;
  }
  tell(kJobsChannel, lease.job);
  if (status == "queued") {
    tell(kWorkChannel, kSomeWork);
  }
  return true;
}

Result<JobNews> PgBroker::wait_for_work(std::chrono::milliseconds most,
                                        const std::stop_token& stop) {
  WS_TRY(JobNews news, work_.wait(most, stop));
  std::erase(news.ids, kSomeWork);
  return news;
}

Status PgBroker::leave(const NodeInfo& node) {
  return connections_.use([&](Connection& c) -> Status {
    WS_TRY(Statement gone, c.prepare("SELECT node_leave(?, ?)"));
    return gone.bind(node.name).bind(node.instance).run();
  });
}

Result<std::int64_t> PgBroker::forget_ended() {
  return connections_.use([&](Connection& c) -> Result<std::int64_t> {
    WS_TRY(Statement row, c.prepare("SELECT node_forget()"));
    WS_TRY([[maybe_unused]] const bool found, row.step());
    return row.integer(0);
  });
}

Result<std::vector<OfferedDevice>> PgBroker::devices() {
  return connections_.use([&](Connection& c) -> Result<std::vector<OfferedDevice>> {
    WS_TRY(Statement rows,
           c.prepare("SELECT device, count(*) FROM nodes n, "
                     "unnest(string_to_array(n.devices, ',')) device WHERE n.lives AND NOT "
                     "n.revoked AND n.seen_at > clock_timestamp() - interval '30 seconds' "
                     "GROUP BY device ORDER BY device"));
    return read_rows(rows, [](const Statement& row) {
      return OfferedDevice{.id = row.text(0), .nodes = row.integer(1)};
    });
  });
}

Result<std::vector<NodeRow>> PgBroker::nodes() {
  return connections_.use([&](Connection& c) -> Result<std::vector<NodeRow>> {
    WS_TRY(Statement rows,
           c.prepare("SELECT n.name, n.instance, n.host, n.devices, n.lanes, n.version, "
                     "n.lives AND n.seen_at > clock_timestamp() - interval '30 seconds', "
                     "n.revoked, (SELECT count(*) FROM node_jobs j WHERE j.status = 'running' AND "
                     "j.node = n.name), "
                     "CAST(extract(epoch FROM clock_timestamp() - n.seen_at) AS DOUBLE PRECISION), "
                     "to_char(n.started_at, 'YYYY-MM-DD\"T\"HH24:MI:SS.MS\"Z\"') "
                     "FROM nodes n WHERE n.seen_at > clock_timestamp() - interval '1 day' OR "
                     "EXISTS (SELECT 1 FROM node_evidence e WHERE e.node = n.name) "
                     "ORDER BY n.name"));
    return read_rows(rows, read_node);
  });
}

}  // namespace ws
