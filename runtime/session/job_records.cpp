#include "runtime/session/job_records.h"

#include <algorithm>
#include <set>

#include <nlohmann/json.hpp>

#include "runtime/base/log.h"

namespace ws {
namespace {

using Json = nlohmann::json;

/// Above what a tuning or a batch of some hundred kernels has.
constexpr std::size_t kMaxArguments = std::size_t{4} << 20U;

JobRow row_of(const JobSnapshot& job) {
  Json json = Json::object();
  if (job.outcome && job.outcome->has_value()) {
    json = outcome_json(Json::parse(**job.outcome, nullptr, false));
  } else if (job.outcome) {
    json = outcome_json(fail(job.outcome->error()));
  }
  return {.id = job.id,
          .tool = job.tool,
          .status = std::string(name_of(job.state)),
          .json = json.dump(-1, ' ', false, Json::error_handler_t::replace),
          .created_at = {},
          .updated_ms = 0};
}

/// Ids of kernels and problems in a text, each once.
Json ids_in(const std::string& text) {
  std::set<std::string> ids;
  for (const char* prefix : {"krn_", "prb_"}) {
    for (std::size_t at = text.find(prefix); at != std::string::npos;
         at = text.find(prefix, at + 1)) {
      const std::size_t end = std::min(
          text.find_first_not_of("abcdefghijklmnopqrstuvwxyz0123456789_", at), text.size());
      ids.insert(text.substr(at, end - at));
    }
  }
  return ids;
}

}  // namespace

Json outcome_json(const Result<Json>& outcome) {
  if (outcome) {
    return {{"output", *outcome}};
  }
  const Error& error = outcome.error();
  return {{"code", error.code},
          {"error", error.message},
          {"hint", error.hint},
          {"source", error.source}};
}

Status record_job_promise(Archive& archive, const std::string& instance, const JobSnapshot& job,
                          const JobQuestion& question) {
  JobRow row = row_of(job);
  row.instance = instance;
  row.client = question.client;
  if (question.arguments) {
    row.arguments = question.arguments->dump(-1, ' ', false, Json::error_handler_t::replace);
  }
  if (row.arguments.size() > kMaxArguments) {
    row.arguments.clear();
  }
  if (const auto known = archive.job(job.id); known && !job.outcome) {
    row.json = known->json;
  } else if (!job.outcome) {
    row.json = Json{{"names", ids_in(question.text)}}.dump();
  }
  return archive.put_job(row);
}

void record_job_end(Archive& archive, const JobSnapshot& job) {
  if (job.server_stopped || !archive.job(job.id)) {
    return;  // Another server may go on with it, or no client knows its id.
  }
  if (const Status put = archive.put_job(row_of(job)); !put) {
    log(LogLevel::kError, "jobs", "job=" + job.id + " not recorded: " + to_text(put.error()));
  }
  if (const auto pruned = archive.prune_jobs(); !pruned) {
    log(LogLevel::kWarning, "jobs", "old jobs not removed: " + to_text(pruned.error()));
  }
}

bool is_over(const JobRow& row) {
  return row.status != name_of(JobState::kQueued) && row.status != name_of(JobState::kRunning);
}

Result<Json> recorded_outcome(const JobRow& row) {
  const Json json = Json::parse(row.json, nullptr, false);
  if (row.status == name_of(JobState::kDone) && json.contains("output")) {
    return json["output"];
  }
  if (json.is_object() && json.contains("code")) {
    return fail(json["code"].get<ErrorCode>(), json["error"], json["hint"], json["source"]);
  }
  return fail(ErrorCode::kDeviceLost, "the server that ran this job is gone",
              "call " + row.tool + " again with the same arguments");
}

}  // namespace ws
