// job: wait for, ask about or cancel a job.
#pragma once

#include "tools/services.h"
#include "tools/tool.h"

namespace ws {

class JobTool : public Tool {
 public:
  explicit JobTool(Services& services);

  [[nodiscard]] const ToolSpec& spec() const override { return spec_; }

  Result<Json> call(const Json& arguments, CallContext& context) override;

 private:
  Result<Json> cancel(const std::string& id);

  ToolSpec spec_;
  Services& services_;
};

}  // namespace ws
