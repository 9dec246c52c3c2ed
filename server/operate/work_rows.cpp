#include "server/operate/work_rows.h"

#include "runtime/base/client_key.h"
#include "runtime/queue/queue_changes.h"

namespace ws::server {
namespace {

Json form_of(const OpenJob& open) {
  Json form = {{"job_id", open.job.id},
               {"tool", open.job.tool},
               {"state", name_of(open.job.state)},
               {"lane", open.lane},
               {"client", open.client},
               {"principal", principal_of(open.client)},
               {"request_id", open.request},
               {"age_s", open.age_s},
               {"ran_s", open.ran_s},
               {"progress", open.job.progress.fraction},
               {"message", open.job.progress.message}};
  if (open.job.state == JobState::kQueued) {
    form["queue_position"] = open.job.queue_position;
  }
  if (open.job.eta_ms) {
    form["eta_s"] = *open.job.eta_ms / 1000;
  }
  return form;
}

}  // namespace

Json lane_rows(JobQueue& jobs) {
  Json lanes = Json::array();
  for (const LaneState& lane : jobs.lanes()) {
    lanes.push_back({{"name", lane.name},
                     {"queued", lane.queued},
                     {"running", lane.running},
                     {"busy_s", lane.busy_s}});
  }
  return lanes;
}

Json job_rows(JobQueue& jobs) {
  Json rows = Json::array();
  for (const OpenJob& job : jobs.open_jobs()) {
    rows.push_back(form_of(job));
  }
  return rows;
}

Json public_work(JobQueue& jobs) {
  Json rows = job_rows(jobs);
  for (Json& row : rows) {
    row.erase("client");
    row.erase("principal");
    row.erase("request_id");
  }
  return {{"lanes", lane_rows(jobs)}, {"jobs", std::move(rows)}};
}

std::uint64_t wait_for_work(std::uint64_t seen, const std::stop_token& stop) {
  return queue_changes().wait(seen, stop);
}

Json device_rows(const std::vector<Device>& devices) {
  Json rows = Json::array();
  for (const Device& device : devices) {
    const Result<DeviceInfo> info = device.backend->info();
    if (info) {
      rows.push_back({{"id", device.id},
                      {"key", info->key()},
                      {"name", info->name},
                      {"arch", info->arch},
                      {"emulated", info->emulated}});
    } else {
      rows.push_back({{"id", device.id}, {"error", to_text(info.error())}});
    }
  }
  return rows;
}

}  // namespace ws::server
