// job: wait for, ask about or cancel a job.
#pragma once

#include "runtime/session/services.h"
#include "tools/registry.h"
#include "tools/tool.h"

namespace ws {

class JobTool : public Tool {
 public:
  /// @param registry  Where it will be: the tools whose jobs it goes on with. Outlives it.
  JobTool(Services& services, const ToolRegistry& registry);

  [[nodiscard]] const ToolSpec& spec() const override { return spec_; }

  Result<Json> call(const Json& arguments, CallContext& context) override;

 private:
  Result<Json> cancel(const std::string& id, const std::string& client);
  Result<Json> cancel_recorded(const std::string& id);

  /// The job's answer, wherever it runs, or its state at `deadline`.
  Result<Json> answer(const std::string& id, Clock::time_point deadline, CallContext& context);

  /// Begins the job anew, as its server is gone: an answer where there is one at once, which has
  /// been recorded. Nothing: it is in the queue now, or another server was faster.
  Result<std::optional<Json>> resume(const JobRow& row, const CallContext& context);

  /// Whether a live server that is not this one has it.
  [[nodiscard]] bool is_elsewhere(const JobRow& row) const;

  ToolSpec spec_;
  Services& services_;
  const ToolRegistry& registry_;
};

}  // namespace ws
