// benchmark: how fast is a kernel, against what?
#pragma once

#include "runtime/evaluate/measure/measurement.h"
#include "runtime/session/services.h"
#include "tools/answer/envelope.h"
#include "tools/tool.h"

namespace ws {

class BenchmarkTool : public Tool {
 public:
  explicit BenchmarkTool(Services& services);

  [[nodiscard]] const ToolSpec& spec() const override { return spec_; }

  Result<Json> call(const Json& arguments, CallContext& context) override;

 private:
  Result<Json> run(Device& device, const Subject& subject, const Json& arguments,
                   const CommonParams& common, const CallContext& context);

  ToolSpec spec_;
  Services& services_;
};

}  // namespace ws
