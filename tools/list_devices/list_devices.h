// list_devices: which devices there are, and what each can do.
#pragma once

#include <map>
#include <mutex>
#include <string>

#include "tools/services.h"
#include "tools/tool.h"

namespace ws {

class ListDevicesTool : public Tool {
 public:
  explicit ListDevicesTool(Services& services);

  [[nodiscard]] const ToolSpec& spec() const override { return spec_; }

  Result<Json> call(const Json& arguments, CallContext& context) override;

 private:
  Json known_facts(const std::string& device, const DeviceInfo& info);
  Json describe(Device& device);

  ToolSpec spec_;
  Services& services_;
  std::mutex mutex_;
  std::map<std::string, Json> facts_;  // guarded by mutex_; by device, made when first asked for
};

}  // namespace ws
