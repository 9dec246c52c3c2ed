#include "server/cli/archive_rerun.h"

#include "tools/all_tools.h"
#include "tools/registry.h"

namespace ws::server {
namespace {

constexpr int kWaitMs = 600'000;

Result<std::string> verdict_now(Tool& validate, const std::string& kernel_id) {
  CallContext context;
  WS_TRY(const Json result,
         validate.call({{"kernel_id", kernel_id}, {"fresh", true}, {"wait_ms", kWaitMs}}, context));
  return result.value("verdict", "not done in time");
}

}  // namespace

Result<std::vector<Rerun>> rerun_sample(const ServicesOptions& options, int count,
                                        const std::function<void(const std::string&)>& tell) {
  WS_TRY(const auto services, open_services(options));
  ToolRegistry registry;
  add_all_tools(registry, *services);
  WS_CHECK(registry.status());
  WS_TRY(const DeviceInfo device, services->default_device().backend->info());
  WS_TRY(const std::vector<std::string> ids, services->archive->sample_passed(device.key(), count));
  std::vector<Rerun> reruns;
  for (const std::string& id : ids) {
    const Result<std::string> verdict = verdict_now(*registry.find("validate")->tool, id);
    reruns.push_back({id, verdict ? *verdict : to_text(verdict.error())});
    tell(std::to_string(reruns.size()) + " of " + std::to_string(ids.size()) + ": " + id + ": " +
         reruns.back().verdict);
  }
  return reruns;
}

}  // namespace ws::server
