#include "server/cli/doctor_checks.h"

#include <algorithm>
#include <array>

#include "server/cli/doctor_parts.h"
#include "server/text_format.h"

namespace ws::server {
namespace {

constexpr const char* kEngineDevice = "cpu:0";

/// In the order of the table. The sandbox forks, so it comes before what starts threads.
constexpr std::array kChecks = {&version_check,    &data_check,    &sandbox_check, &engine_check,
                                &cores_check,      &memory_check,  &groups_check,  &kernel_check,
                                &huge_pages_check, &toolkit_check, &gpu_check,     &libraries_check,
                                &triton_check,     &hip_check,     &vulkan_check,  &skills_check};

}  // namespace

std::string_view name_of(CheckState state) {
  switch (state) {
    case CheckState::kOk:
      return "ok";
    case CheckState::kMissing:
      return "missing";
    case CheckState::kNote:
      break;
  }
  return "note";
}

std::vector<Check> examine(const DoctorSubject& subject) {
  std::vector<Check> checks;
  for (const auto check : kChecks) {
    checks.push_back(check(subject));
  }
  if (default_device(checks) != kEngineDevice) {
    for (Check& check : checks) {  // Good to have, but there is a better device.
      const bool missing = check.what == kEngineCheck && check.state == CheckState::kMissing;
      check.state = missing ? CheckState::kNote : check.state;
    }
  }
  return checks;
}

std::string default_device(const std::vector<Check>& checks) {
  const auto gpu = std::find_if(checks.begin(), checks.end(), [](const Check& check) {
    return check.what == kGpuCheck && check.state == CheckState::kOk;
  });
  return gpu == checks.end() ? kEngineDevice : gpu->value.substr(0, gpu->value.find(' '));
}

std::string doctor_table(const std::vector<Check>& checks) {
  constexpr std::size_t kStateWidth = 9;
  constexpr std::size_t kWhatWidth = 13;
  std::string text;
  for (const Check& check : checks) {
    text += padded(name_of(check.state), kStateWidth) + padded(check.what, kWhatWidth) +
            check.value + "\n";
    if (!check.fix.empty()) {
      text += std::string(kStateWidth + kWhatWidth, ' ') + "fix: " + check.fix + "\n";
    }
  }
  return text;
}

}  // namespace ws::server
