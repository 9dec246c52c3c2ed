// compile_kernel: from a problem and a kernel to an id, entries and diagnostics.
#pragma once

#include "runtime/evaluate/prepared.h"
#include "runtime/evaluate/subject.h"
#include "runtime/session/services.h"
#include "tools/answer/envelope.h"
#include "tools/tool.h"

namespace ws {

class CompileKernelTool : public Tool {
 public:
  explicit CompileKernelTool(Services& services);

  [[nodiscard]] const ToolSpec& spec() const override { return spec_; }

  Result<Json> call(const Json& arguments, CallContext& context) override;

 private:
  /// The kernel that is meant, with its ref set.
  Result<Subject> choose(const Json& arguments, const std::stop_token& stop);
  Result<Json> compile(const Subject& subject, Device& device, const Json& arguments,
                       const CommonParams& common, const std::stop_token& stop);
  Result<std::string> record(const Subject& subject, const DeviceInfo& device, const Json& body,
                             const Params& params, const CompileOutcome& outcome);

  ToolSpec spec_;
  Services& services_;
};

}  // namespace ws
