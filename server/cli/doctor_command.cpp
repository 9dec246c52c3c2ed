#include <algorithm>
#include <cstdio>
#include <string>
#include <vector>

#include "runtime/base/files.h"
#include "server/cli/commands.h"
#include "server/cli/doctor_checks.h"
#include "server/protocol/protocol.h"

namespace ws::server {
namespace {

std::string doctor_json(const std::vector<Check>& checks, bool works) {
  OrderedJson rows = OrderedJson::array();
  for (const Check& check : checks) {
    rows.push_back({{"what", check.what},
                    {"state", name_of(check.state)},
                    {"value", check.value},
                    {"fix", check.fix}});
  }
  return to_line(OrderedJson{{"ok", works}, {"checks", rows}}) + "\n";
}

}  // namespace

int doctor_command(const DoctorOptions& options) {
  const std::vector<Check> checks =
      examine({executable_path(), options.data_dir, options.cuda_folders, options.cuda_visible,
               options.interpreters, options.hip_folders, options.vulkan_drivers, options.skills});
  const bool works = std::none_of(checks.begin(), checks.end(), [](const Check& check) {
    return check.state == CheckState::kMissing;
  });
  const std::string text =
      options.json ? doctor_json(checks, works)
                   : doctor_table(checks) + "\nThe default device, " + default_device(checks) +
                         (works ? ", works.\n" : ", does not work: fix what is missing.\n");
  std::fputs(text.c_str(), stdout);
  return works ? kExitOk : kExitFailed;
}

}  // namespace ws::server
