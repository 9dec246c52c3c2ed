#include "tools/answer/subject_form.h"

#include "runtime/kernel/form/forms.h"
#include "runtime/kernel/plan/params.h"

namespace ws {

Result<Params> requested_params(const Kernel& kernel, const Json& arguments) {
  Params requested;
  const Json form = arguments.value("params", Json::object());
  for (const auto& [name, value] : form.items()) {
    if (!value.is_number_integer()) {
      return fail(ErrorCode::kInvalidArgument,
                  "params." + name + " must be an integer, got " + value.dump().substr(0, 40));
    }
    requested[name] = value.get<std::int64_t>();
  }
  return choose_params(kernel, requested);
}

Result<std::vector<Workload>> requested_workloads(const Problem& problem, const Json& arguments) {
  std::vector<Workload> workloads;
  const Json forms = arguments.value("workloads", Json::array());
  for (std::size_t i = 0; i < forms.size(); ++i) {
    WS_TRY(Workload workload,
           workload_from_json(forms[i], problem, "workloads[" + std::to_string(i) + "]"));
    workloads.push_back(std::move(workload));
  }
  return workloads;
}

Json to_json(const Workload& workload) {
  Json form = Json::object();
  for (const auto& [name, value] : workload.dims) {
    form[name] = value;
  }
  for (const auto& [name, value] : workload.scalars) {
    form[name] = value;
  }
  return form;
}

Json to_json(const Params& params) {
  Json form = Json::object();
  for (const auto& [name, value] : params) {
    form[name] = value;
  }
  return form;
}

Workload workload_of_form(const Json& form) {
  Workload workload;
  for (const auto& [name, value] : form.items()) {
    if (value.is_number_integer()) {
      workload.dims[name] = value.get<std::int64_t>();
    } else {
      workload.scalars[name] = value.get<double>();
    }
  }
  return workload;
}

Params params_of_form(const Json& form) {
  Params params;
  for (const auto& [name, value] : form.items()) {
    params[name] = value.get<std::int64_t>();
  }
  return params;
}

Json device_form(const DeviceInfo& device) {
  return {{"id", device.id},     {"name", device.name},     {"uuid", device.uuid},
          {"arch", device.arch}, {"driver", device.driver}, {"toolkit", device.toolkit}};
}

Json kernel_links(const std::string& kernel_id) {
  return Json::array({{{"rel", "source"}, {"uri", "kernel://" + kernel_id + "/source"}}});
}

}  // namespace ws
