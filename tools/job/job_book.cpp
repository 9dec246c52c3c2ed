// Jobs as protocols ask for them, and the list of a client's own.
#include <charconv>
#include <cmath>
#include <memory>
#include <utility>

#include "runtime/base/clock.h"
#include "runtime/base/hash.h"
#include "runtime/session/node_jobs.h"
#include "tools/job/job.h"

namespace ws {
namespace {

constexpr int kPage = 50;
constexpr std::size_t kJobDigits = 32;
constexpr std::chrono::hours kAsLongAsItTakes{24 * 7};
/// Steps of the work that follow each other faster are not told of one by one.
constexpr std::chrono::milliseconds kShortestGap{500};

/// How far a job is that has not ended.
std::string progress_text(const JobSnapshot& job) {
  if (job.state == JobState::kQueued) {
    return place_in_line(job.queue_position);
  }
  const std::string percent = std::to_string(std::lround(100 * job.progress.fraction)) + " %";
  return job.progress.message.empty() ? percent : percent + ": " + job.progress.message;
}

std::string ending_text(const Result<Json>& outcome) {
  return outcome ? outcome->value("summary", "") : to_text(outcome.error());
}

JobStanding standing_of(const JobSnapshot& job, const std::string& created_at) {
  JobStanding standing{.id = job.id,
                       .tool = job.tool,
                       .status = std::string(name_of(job.state)),
                       .message = {},
                       .created_at = created_at,
                       .updated_at = timestamp_of(job.updated_ms)};
  if (!job.outcome) {
    standing.message = progress_text(job);
    return standing;
  }
  standing.outcome = job.outcome->has_value()
                         ? Result<Json>(Json::parse(**job.outcome, nullptr, false))
                         : Result<Json>(fail(job.outcome->error()));
  standing.message = ending_text(*standing.outcome);
  return standing;
}

JobStanding standing_of(const JobRow& row, std::string message) {
  return {.id = row.id,
          .tool = row.tool,
          .status = row.status,
          .message = std::move(message),
          .created_at = row.created_at,
          .updated_at = timestamp_of(row.updated_ms)};
}

/// The standing of a job that only the archive knows, where it has ended.
JobStanding ended_standing(const JobRow& row) {
  Result<Json> outcome = recorded_outcome(row);
  JobStanding standing = standing_of(row, ending_text(outcome));
  standing.outcome = std::move(outcome);
  return standing;
}

/// The number that a cursor is; nothing for one that was never given out.
std::optional<std::int64_t> place_of(const std::string& cursor) {
  std::int64_t place = 0;
  const char* const end = cursor.data() + cursor.size();
  const auto [stop, error] = std::from_chars(cursor.data(), end, place);
  const bool whole = error == std::errc{} && stop == end && place > 0;
  return whole ? std::optional(place) : std::nullopt;
}

}  // namespace

Result<JobStanding> JobTool::look_up(const std::string& id, const CallContext& context) {
  for (;;) {
    const auto here = services_.jobs->snapshot(id);
    const std::optional<JobSnapshot> live = here ? std::optional(*here) : on_node(id);
    const Result<JobRow> row = services_.archive->job(id);
    if (live) {
      return standing_of(*live, row ? row->created_at : timestamp_of(live->updated_ms));
    }
    if (!row) {
      return fail(row.error());
    }
    if (is_over(*row)) {
      return ended_standing(*row);
    }
    if (is_elsewhere(*row)) {
      JobStanding there = standing_of(*row, "runs in another server on this data folder");
      there.status = name_of(JobState::kRunning);
      return there;
    }
    Result<std::optional<JobResult>> resumed = resume(*row, context);
    if (resumed && !*resumed) {
      continue;  // It is in the queue now, or another server was faster.
    }
    if (resumed && (*resumed)->notice) {
      JobStanding lost = standing_of(*row, (*resumed)->notice->summary);
      lost.status = (*resumed)->notice->status;
      lost.outcome = fail(ErrorCode::kDeviceLost, lost.message);
      return lost;
    }
    if (const Result<JobRow> now = services_.archive->job(id); now && is_over(*now)) {
      return ended_standing(*now);
    }
    const bool refused = !resumed && resumed.error().code == ErrorCode::kConflict;
    return standing_of(
        *row, refused ? resumed.error().message : "waits until the server has room for it");
  }
}

std::optional<JobSnapshot> JobTool::on_node(const std::string& id) {
  if (services_.node_jobs == nullptr) {
    return std::nullopt;
  }
  const Result<JobSnapshot> job = services_.node_jobs->look(id);
  return job ? std::optional(*job) : std::nullopt;
}

bool JobTool::knows(const std::string& id) {
  return services_.jobs->snapshot(id).has_value() || services_.archive->job(id).has_value() ||
         on_node(id).has_value();
}

Result<JobStanding> JobTool::give_up(const std::string& id, const CallContext& context) {
  WS_TRY(const JobResult result, cancel(id, context.caller.client));
  return look_up(id, context);
}

Result<JobPage> JobTool::list(const std::string& client, std::int64_t from, std::size_t most) {
  WS_TRY(const std::vector<ClientJob> rows,
         services_.archive->jobs_of(client, from, static_cast<int>(most) + 1));
  JobPage page;
  for (const ClientJob& job : rows) {
    if (page.jobs.size() == most) {
      break;
    }
    page.next = job.number;
    const auto here = services_.jobs->snapshot(job.row.id);
    const std::optional<JobSnapshot> live = here               ? std::optional(*here)
                                            : is_over(job.row) ? std::nullopt
                                                               : on_node(job.row.id);
    if (live) {
      page.jobs.push_back(standing_of(*live, job.row.created_at));
      page.jobs.back().outcome.reset();
      continue;
    }
    page.jobs.push_back(standing_of(job.row, job.summary));
    if (!is_over(job.row)) {
      page.jobs.back().message = is_elsewhere(job.row)
                                     ? "runs in another server on this data folder"
                                     : "its server is gone; it goes on when it is asked for";
    }
  }
  page.next = rows.size() > most ? page.next : 0;
  return page;
}

Result<JobStanding> JobTool::keep(const std::string& tool, const Result<Json>& outcome,
                                  const std::string& client) {
  JobRow row;
  row.id = "job_" + random_hex(kJobDigits);
  row.tool = tool;
  row.status = name_of(outcome ? JobState::kDone : JobState::kFailed);
  row.json = outcome_json(outcome).dump(-1, ' ', false, Json::error_handler_t::replace);
  row.instance = services_.instance->id();
  row.client = client;
  WS_CHECK(services_.archive->put_job(row));
  return look_up(row.id, CallContext{});
}

bool JobTool::watch(const std::string& id, const std::stop_token& stop,
                    std::function<void(const JobStanding&)> changed) {
  struct Told {
    std::string created_at;
    std::string status;
    Clock::time_point at;
  };

  const Result<JobRow> row = services_.archive->job(id);
  const auto told = std::make_shared<Told>(Told{row ? row->created_at : timestamp_now(), {}, {}});
  const auto tell = [this, id, told, stop, changed = std::move(changed)] {
    const auto job = services_.jobs->snapshot(id);
    if (!job || stop.stop_requested()) {
      return;
    }
    JobStanding standing = standing_of(*job, told->created_at);
    standing.outcome.reset();
    const auto now = Clock::now();
    if (standing.status != told->status || now - told->at >= kShortestGap) {
      told->status = standing.status;
      told->at = now;
      changed(standing);
    }
  };
  CallContext context;
  context.stop = stop;
  context.progress = [tell](const Progress& /*report*/) { tell(); };
  return services_.jobs->watch(id, kAsLongAsItTakes, context, tell).has_value();
}

Result<JobResult> JobTool::page(const std::string& client, const std::string& cursor) {
  const std::optional<std::int64_t> from =
      cursor.empty() ? std::optional(std::int64_t{0}) : place_of(cursor);
  if (!from) {
    return fail(ErrorCode::kInvalidArgument,
                "`cursor` is not one that this server gave out: leave it out for the first page");
  }
  WS_TRY(const JobPage own, list(client, *from, kPage));
  Json rows = Json::array();
  std::size_t open = 0;
  for (const JobStanding& job : own.jobs) {
    open += job.is_over() ? 0U : 1U;
    rows.push_back({{"job_id", job.id},
                    {"tool", job.tool},
                    {"status", job.status},
                    {"summary", job.message},
                    {"created_at", job.created_at}});
  }
  Json body = {{"jobs", std::move(rows)}};
  std::vector<Json> steps;
  if (!own.jobs.empty()) {
    steps.push_back(next_step("job", {{"job_id", own.jobs.front().id}, {"action", "wait"}},
                              "wait for the newest, or see its result"));
  }
  if (own.next != 0) {
    body["next_cursor"] = std::to_string(own.next);
    steps.push_back(next_step("job", {{"action", "list"}, {"cursor", std::to_string(own.next)}},
                              "see the next page"));
  }
  const std::string count = std::to_string(own.jobs.size());
  JobResult result;
  result.answer = finished(own.jobs.empty() ? "you have no jobs"
                                            : count + (own.jobs.size() == 1 ? " job" : " jobs") +
                                                  ", " + std::to_string(open) + " not ended",
                           std::move(body), std::move(steps));
  return result;
}

}  // namespace ws
