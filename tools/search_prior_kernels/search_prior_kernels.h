// search_prior_kernels: what the archive knows of kernels like the one that is to be made.
#pragma once

#include "runtime/session/services.h"
#include "tools/tool.h"

namespace ws {

class SearchPriorKernelsTool : public Tool {
 public:
  explicit SearchPriorKernelsTool(Services& services);

  [[nodiscard]] const ToolSpec& spec() const override { return spec_; }

  /// Answers at once: a search takes milliseconds, so there is no job.
  Result<Json> call(const Json& arguments, CallContext& context) override;

 private:
  ToolSpec spec_;
  Services& services_;
};

}  // namespace ws
