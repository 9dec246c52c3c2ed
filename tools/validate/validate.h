// validate: is a kernel right?
#pragma once

#include "runtime/session/services.h"
#include "tools/tool.h"

namespace ws {

class ValidateTool : public Tool {
 public:
  explicit ValidateTool(Services& services);

  [[nodiscard]] const ToolSpec& spec() const override { return spec_; }

  Result<Json> call(const Json& arguments, CallContext& context) override;

 private:
  ToolSpec spec_;
  Services& services_;
};

}  // namespace ws
