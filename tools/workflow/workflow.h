// workflow: how a kernel came to be, names for its states, and what of it can be taken elsewhere.
#pragma once

#include "runtime/session/services.h"
#include "tools/tool.h"

namespace ws {

/// Only reads and writes the archive: nothing of a device but its name is asked for.
class WorkflowTool : public Tool {
 public:
  explicit WorkflowTool(Services& services);

  [[nodiscard]] const ToolSpec& spec() const override { return spec_; }

  Result<Json> call(const Json& arguments, CallContext& context) override;

 private:
  ToolSpec spec_;
  Services& services_;
};

}  // namespace ws
