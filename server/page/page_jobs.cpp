#include "server/page/page_jobs.h"

namespace ws::server {

Result<Json> job_form(ArchiveListing& listing, const std::string& id) {
  WS_TRY(const JobRow row, listing.job(id));
  Json form = {
      {"id", row.id}, {"tool", row.tool}, {"status", row.status}, {"created_at", row.created_at}};
  const Json outcome = Json::parse(row.json, nullptr, false);
  if (outcome.is_object() && outcome.contains("output")) {
    form["output"] = outcome["output"];
  } else if (outcome.is_object() && outcome.contains("error")) {
    form["error"] = outcome["error"];
  }
  return form;
}

}  // namespace ws::server
