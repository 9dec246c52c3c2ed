#include "tools/services.h"

#include <algorithm>
#include <thread>

#include "runtime/base/files.h"
#include "runtime/base/log.h"
#include "runtime/device/cpu/cpu_backend.h"
#include "tools/common/archive_resources.h"
#include "tools/common/job_records.h"

namespace ws {

Result<Device*> Services::device(const std::string& id) {
  std::string known;
  for (Device& device : devices) {
    if (id.empty() || device.id == id) {
      return &device;
    }
    known += (known.empty() ? "" : ", ") + device.id;
  }
  return fail(ErrorCode::kNotFound, "no device `" + id + "`",
              "the devices here are " + known + "; see list_devices");
}

void Services::warm() {
  for (const Device& device : devices) {
    device.backend->warm();
  }
}

Result<std::unique_ptr<Services>> open_services(const ServicesOptions& options) {
  auto services = std::make_unique<Services>();
  services->options = options;
  if (services->options.executable.empty()) {
    services->options.executable = executable_path();
  }
  WS_TRY(services->archive, Archive::open(options.data_dir));
  services->noise_floors = std::make_unique<NoiseFloors>(*services->archive);
  const auto store = std::make_shared<CompileStore>(CompileStore::Options{
      .folder = options.data_dir / kStoreFolder, .max_bytes = options.cache_bytes});
  services->devices.push_back(
      {"cpu:0", make_cpu_backend(services->options.executable.string(), store)});
  services->resources = make_archive_resources(*services);
  std::vector<JobQueue::LaneOptions> lanes = {
      {.name = kCompileLane, .threads = std::max(1U, std::thread::hardware_concurrency())}};
  for (const Device& device : services->devices) {
    lanes.push_back({.name = device.id});
  }
  services->jobs = std::make_unique<JobQueue>(
      std::move(lanes), [archive = services->archive.get()](const JobSnapshot& job) {
        record_job_end(*archive, job);
      });
  return services;
}

}  // namespace ws
