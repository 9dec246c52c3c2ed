// list_devices: which devices there are, and what each can do.
#pragma once

#include "tools/services.h"
#include "tools/tool.h"

namespace ws {

class ListDevicesTool : public Tool {
 public:
  explicit ListDevicesTool(Services& services);

  [[nodiscard]] const ToolSpec& spec() const override { return spec_; }

  Result<Json> call(const Json& arguments, CallContext& context) override;

 private:
  Json describe(Device& device);

  ToolSpec spec_;
  Services& services_;
};

}  // namespace ws
