#include "tools/list_devices/list_devices.h"

#include "tools/common/envelope.h"
#include "tools/list_devices/list_devices_schema.h"
#include "tools/typed_tool.h"

namespace ws {
namespace {

Json missing(const Error& error) {
  return {{"what", "compile"}, {"why", error.message}, {"fix", error.hint}};
}

}  // namespace

ListDevicesTool::ListDevicesTool(Services& services)
    : spec_(parse_spec(list_devices_schema())),
      services_(services) {}

Json ListDevicesTool::describe(Device& device) {
  const auto info = device.backend->info();
  Json row = {{"id", device.id}, {"queue_length", services_.jobs->length(device.id)}};
  if (!info) {
    // The device is named all the same: what is missing is the answer.
    row["emulated"] = true;
    row["limits"] = Json::object();
    row["can"] = Json::array();
    row["cannot"] = Json::array({missing(info.error())});
    return row;
  }
  const auto floor = services_.noise_floors->stored(*info);
  row["backend"] = info->backend;
  row["name"] = info->name;
  row["arch"] = info->arch;
  row["toolkit"] = info->toolkit;
  row["languages"] = info->languages;
  row["emulated"] = info->emulated;
  row["can"] = {"compile", "run", "benchmark"};
  row["cannot"] = Json::array(
      {{{"what", "profile"}, {"why", "the CPU engine has no profiler"}, {"fix", "use benchmark"}}});
  row["limits"] = {{"max_threads_per_block", info->limits.max_threads_per_block},
                   {"max_shared_bytes", info->limits.max_shared_bytes},
                   {"warp_size", info->limits.warp_size}};
  row["noise_floor"] = floor ? Json(rounded(*floor)) : Json(nullptr);
  row["ceilings"] = Json::object();
  return row;
}

Result<Json> ListDevicesTool::call(const Json& arguments, CallContext& /*context*/) {
  return guarded([&]() -> Result<Json> {
    const CommonParams common = common_params(arguments);
    Json rows = Json::array();
    if (common.device.empty()) {
      for (Device& device : services_.devices) {
        rows.push_back(describe(device));
      }
    } else {
      WS_TRY(Device* const device, services_.device(common.device));
      rows.push_back(describe(*device));
    }
    const std::string first = services_.devices.front().id;
    const std::string summary = std::to_string(rows.size()) + " device" +
                                (rows.size() == 1 ? "" : "s") + "; the default is " + first + " (" +
                                rows.front().value("name", "compiler missing") + ")";
    return finished(
        summary, {{"default_device", first}, {"devices", rows}},
        {next_step("compile_kernel", Json::object(), "send a problem and a kernel to compile")});
  });
}

}  // namespace ws
