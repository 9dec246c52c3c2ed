// apply_transformation: a kernel through a named transformation, one judged pass at a time.
#pragma once

#include "runtime/session/services.h"
#include "tools/apply_transformation/conclude.h"
#include "tools/apply_transformation/step.h"
#include "tools/tool.h"

namespace ws {

/// Its stages are jobs that it shares with the other tools, as their stores and rules.
class ApplyTransformationTool : public Tool {
 public:
  explicit ApplyTransformationTool(Services& services);

  [[nodiscard]] const ToolSpec& spec() const override { return spec_; }

  Result<Json> call(const Json& arguments, CallContext& context) override;

 private:
  Result<Try> attempt(const Step& step, const Change& change, bool fresh, CallContext& context);
  Result<Json> lower(const Json& arguments, const CommonParams& common, CallContext& context);
  Result<Json> apply(const Step& step, const Json& arguments, CallContext& context);

  ToolSpec spec_;
  Services& services_;
};

}  // namespace ws
