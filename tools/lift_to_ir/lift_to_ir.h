// lift_to_ir: a stored kernel as a CuIR program.
#pragma once

#include "runtime/session/services.h"
#include "tools/tool.h"

namespace ws {

class LiftToIrTool : public Tool {
 public:
  explicit LiftToIrTool(Services& services);

  [[nodiscard]] const ToolSpec& spec() const override { return spec_; }

  Result<Json> call(const Json& arguments, CallContext& context) override;

 private:
  const ToolSpec spec_;
  Services& services_;
};

}  // namespace ws
