#include "tools/list_devices/list_devices.h"

#include <algorithm>
#include <utility>

#include "runtime/device/sanitizer.h"
#include "runtime/kernel/language.h"
#include "runtime/session/node_jobs.h"
#include "runtime/session/reward_pins.h"
#include "tools/answer/envelope.h"
#include "tools/answer/next_steps.h"
#include "tools/list_devices/list_devices_schema.h"
#include "tools/list_devices/machine.h"

namespace ws {
namespace {

Json missing(const char* what, const Error& error) {
  return {{"what", what}, {"why", error.message}, {"fix", error.hint}};
}

Json limits_of(const DeviceInfo& info) {
  Json limits = {{"max_threads_per_block", info.limits.max_threads_per_block},
                 {"max_shared_bytes", info.limits.max_shared_bytes},
                 {"warp_size", info.limits.warp_size}};
  if (!info.emulated) {
    limits["sm_count"] = info.sm_count;
    limits["memory_bytes"] = info.memory_bytes;
    limits["l2_bytes"] = info.l2_bytes;
  }
  return limits;
}

/// Whether `profile` has something to count with.
bool counts(const DeviceInfo& info) {
  return std::ranges::none_of(info.languages, is_shader_language);
}

/// The things that the device cannot do, or could if something were installed.
Json cannot(const Backend& backend, const DeviceInfo& info) {
  Json rows = Json::array();
  if (!counts(info)) {
    rows.push_back(missing("profile", Error{ErrorCode::kUnsupported,
                                            "nothing counts what shaders do",
                                            "profile the kernel in CUDA C++ on cpu:0",
                                            {}}));
  }
  const auto* const sanitizer = dynamic_cast<const Sanitizes*>(&backend);
  if (const auto refusal = sanitizer == nullptr ? std::nullopt : sanitizer->no_sanitizer()) {
    rows.push_back(missing("sanitize", *refusal));
  }
  return rows;
}

/// The facts that do not change while the server runs.
Json facts(const Backend& backend, const DeviceInfo& info) {
  Json can = {"compile", "run", "benchmark"};
  if (counts(info)) {
    can.emplace_back("profile");
  }
  Json row = {{"backend", info.backend},     {"name", info.name},
              {"arch", info.arch},           {"toolkit", info.toolkit},
              {"languages", info.languages}, {"emulated", info.emulated},
              {"can", std::move(can)},       {"cannot", cannot(backend, info)},
              {"limits", limits_of(info)}};
  if (!info.driver.empty()) {
    row["driver"] = info.driver;
  }
  if (!info.emulated) {
    row["notes"] = info.notes;
  }
  return row;
}

/// A device that cannot be asked is named all the same: what is missing is the answer.
Json nothing_known(const std::string& device, const Error& error) {
  return {{"emulated", device.starts_with("cpu:")},
          {"limits", Json::object()},
          {"can", Json::array()},
          {"cannot", Json::array({missing("compile", error)})}};
}

}  // namespace

void from_json(const Json& arguments, ListDevicesParams& params) {
  params.device = arguments.value("device", "");
}

void to_json(Json& answer, DeviceList list) {
  const auto usable =
      std::find_if(list.devices.begin(), list.devices.end(), [&list](const Json& row) {
        return row["id"] == list.default_device && row.contains("name");
      });
  const std::string name =
      usable == list.devices.end() ? "" : " (" + usable->value("name", "") + ")";
  const std::string summary = std::to_string(list.devices.size()) + " device" +
                              (list.devices.size() == 1 ? "" : "s") + "; the default is " +
                              list.default_device + name;
  Json body = {{"default_device", list.default_device}};
  body["devices"] = std::move(list.devices);
  if (!list.machine.is_null()) {
    body["machine"] = std::move(list.machine);
  }
  static const Json next = advice("send compile_kernel a `problem` and a `kernel`");
  answer = finished(summary, std::move(body), {next});
}

ListDevicesTool::ListDevicesTool(Services& services)
    : TypedTool(list_devices_schema()),
      services_(services) {}

Result<const ListDevicesTool::Known*> ListDevicesTool::ask(Device& device) {
  {
    const std::lock_guard lock(mutex_);
    if (const auto at = known_.find(device.id); at != known_.end()) {
      return &at->second;
    }
  }
  WS_TRY(DeviceInfo info, device.backend->info());
  Json row = facts(*device.backend, info);
  const std::lock_guard lock(mutex_);
  return &known_.try_emplace(device.id, Known{std::move(info), std::move(row)}).first->second;
}

const ListDevicesTool::Known* ListDevicesTool::known(const Device& device) {
  const std::lock_guard lock(mutex_);
  const auto at = known_.find(device.id);
  return at == known_.end() ? nullptr : &at->second;
}

ListDevicesTool::Changing ListDevicesTool::changing_of(const Device& device,
                                                       const DeviceInfo& info) const {
  return {.queue_length = services_.jobs->length(device.id),
          .noise_floor = services_.noise_floors->stored(info),
          .ceilings = services_.ceilings->stored(info)};
}

std::shared_ptr<const Json> ListDevicesTool::answer_now(const Json& arguments) {
  if (services_.node_jobs != nullptr) {
    return nullptr;
  }
  const auto field = arguments.find("device");
  const bool named = field != arguments.end() && field->is_string();
  const std::string wanted = named ? field->get<std::string>() : std::string();
  std::vector<const Device*> devices;
  Answer now;
  for (const Device& device : services_.devices) {
    if (!wanted.empty() && wanted != device.id) {
      continue;
    }
    const Known* const facts = known(device);
    if (facts == nullptr) {
      return nullptr;
    }
    devices.push_back(&device);
    now.changing.push_back(changing_of(device, facts->info));
  }
  const std::lock_guard lock(mutex_);
  if (devices.empty() || (wanted.empty() && machine_.is_null())) {
    return nullptr;
  }
  Answer& answer = answers_[wanted];
  if (answer.form == nullptr || answer.changing != now.changing) {
    DeviceList list{.default_device = services_.default_device().id, .devices = {}, .machine = {}};
    for (std::size_t i = 0; i < devices.size(); ++i) {
      list.devices.push_back(row_of(*devices[i], known_.at(devices[i]->id), now.changing[i]));
    }
    list.machine = wanted.empty() ? machine_ : Json();
    now.form = std::make_shared<const Json>(std::move(list));
    answer = std::move(now);
  }
  return answer.form;
}

Json ListDevicesTool::machine() {
  const std::lock_guard lock(mutex_);
  if (machine_.is_null()) {
    machine_ = facilities(services_.options, "/");
  }
  return machine_;
}

void ListDevicesTool::put_pins(const Device& device, Json& row) const {
  row["id"] = device.id;
  if (const RewardPins* const pins = services_.options.reward_pins.get();
      pins != nullptr && pins->device.value_or(device.id) == device.id) {
    row["rewards"] = *pins;
  }
}

Json ListDevicesTool::row_of(const Device& device, const Known& known,
                             const Changing& changing) const {
  Json row = known.facts;
  put_pins(device, row);
  row["queue_length"] = changing.queue_length;
  row["ceilings"] = changing.ceilings ? ceilings_form(*changing.ceilings) : Json::object();
  row["noise_floor"] = changing.noise_floor ? Json(rounded(*changing.noise_floor)) : Json(nullptr);
  return row;
}

Json ListDevicesTool::describe(Device& device) {
  const Result<const Known*> asked = ask(device);
  if (asked) {
    return row_of(device, **asked, changing_of(device, (*asked)->info));
  }
  Json row = nothing_known(device.id, asked.error());
  put_pins(device, row);
  row["queue_length"] = services_.jobs->length(device.id);
  return row;
}

Result<DeviceList> ListDevicesTool::list_of_nodes(const std::string& device) {
  WS_TRY(const std::vector<OfferedDevice> devices, services_.node_jobs->devices(device));
  WS_TRY(std::string best, services_.node_jobs->default_device());
  DeviceList list{.default_device = std::move(best), .devices = {}, .machine = {}};
  for (const OfferedDevice& offered : devices) {
    list.devices.push_back({{"id", offered.id},
                            {"emulated", offered.id.starts_with("cpu:")},
                            {"limits", Json::object()},
                            {"nodes", offered.nodes}});
  }
  return list;
}

Result<DeviceList> ListDevicesTool::run(const ListDevicesParams& params, CallContext& /*context*/) {
  if (services_.node_jobs != nullptr) {
    return list_of_nodes(params.device);
  }
  DeviceList list{.default_device = services_.default_device().id, .devices = {}, .machine = {}};
  if (params.device.empty()) {
    for (Device& device : services_.devices) {
      list.devices.push_back(describe(device));
    }
    list.machine = machine();
  } else {
    WS_TRY(Device* const device, services_.device(params.device));
    list.devices.push_back(describe(*device));
  }
  return list;
}

}  // namespace ws
