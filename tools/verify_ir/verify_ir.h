// verify_ir: executes a CuIR program and says what is wrong with it.
#pragma once

#include "runtime/session/services.h"
#include "tools/tool.h"

namespace ws {

class VerifyIrTool : public Tool {
 public:
  explicit VerifyIrTool(Services& services);

  [[nodiscard]] const ToolSpec& spec() const override { return spec_; }

  Result<Json> call(const Json& arguments, CallContext& context) override;

 private:
  const ToolSpec spec_;
  Services& services_;
};

}  // namespace ws
