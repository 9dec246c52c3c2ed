#include "tools/common/job_records.h"

#include <algorithm>
#include <set>

#include "runtime/base/log.h"

namespace ws {
namespace {

JobRow row_of(const JobSnapshot& job) {
  Json json = Json::object();
  if (job.outcome && job.outcome->has_value()) {
    json["output"] = Json::parse(**job.outcome, nullptr, false);
  } else if (job.outcome) {
    json["code"] = job.outcome->error().code;
    json["error"] = job.outcome->error().message;
    json["hint"] = job.outcome->error().hint;
    json["source"] = job.outcome->error().source;
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

Status record_job_promise(Archive& archive, const JobSnapshot& job, const std::string& question) {
  JobRow row = row_of(job);
  if (const auto known = archive.job(job.id); known && !job.outcome) {
    row.json = known->json;
  } else if (!job.outcome) {
    row.json = Json{{"names", ids_in(question)}}.dump();
  }
  return archive.put_job(row);
}

void record_job_end(Archive& archive, const JobSnapshot& job) {
  if (!archive.job(job.id)) {
    return;  // Nobody was told of it.
  }
  if (const Status put = archive.put_job(row_of(job)); !put) {
    log(LogLevel::kError, "jobs", "job=" + job.id + " not recorded: " + to_text(put.error()));
  }
  if (const auto pruned = archive.prune_jobs(); !pruned) {
    log(LogLevel::kWarning, "jobs", "old jobs not removed: " + to_text(pruned.error()));
  }
}

Result<Json> recorded_outcome(Archive& archive, const std::string& id) {
  WS_TRY(const JobRow row, archive.job(id));
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
