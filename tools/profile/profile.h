// profile: what limits a kernel, and what to try?
#pragma once

#include "runtime/evaluate/subject.h"
#include "runtime/session/services.h"
#include "tools/answer/envelope.h"
#include "tools/tool.h"

namespace ws {

class ProfileTool : public Tool {
 public:
  explicit ProfileTool(Services& services);

  [[nodiscard]] const ToolSpec& spec() const override { return spec_; }

  Result<Json> call(const Json& arguments, CallContext& context) override;

 private:
  Result<Json> run(Device& device, const Subject& subject, const Json& question,
                   const CommonParams& common, const CallContext& context);

  ToolSpec spec_;
  Services& services_;
};

}  // namespace ws
