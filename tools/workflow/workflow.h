// workflow: the history of a kernel, names for its versions, and their export.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "tools/typed_tool.h"
#include "tools/workflow/actions.h"

namespace ws {

enum class WorkflowAction : std::uint8_t {
  kLog,
  kCompare,
  kRestore,
  kBranch,
  kCheckpoint,
  kExport
};

/// The arguments of `workflow`.
struct WorkflowParams {
  CommonParams common;
  WorkflowAction action = WorkflowAction::kLog;
  std::optional<std::string> ref;
  std::optional<std::string> name;
  std::optional<std::string> a;
  std::optional<std::string> b;
  std::optional<HandoverForm> as;
  bool allow_unverified = false;
};

void from_json(const Json& arguments, WorkflowParams& params);

/// The result of an action, as a client is told it.
struct WorkflowResult {
  Answer answer;
};

/// The whole answer.
void to_json(Json& answer, WorkflowResult result);

/// Only reads and writes the archive: nothing of a device but its name is asked for, and for CuIR
/// the compiler.
class WorkflowTool : public TypedTool<WorkflowParams, WorkflowResult> {
 public:
  explicit WorkflowTool(Services& services);

 protected:
  Result<WorkflowResult> run(const WorkflowParams& params, CallContext& context) override;

 private:
  Services& services_;
};

}  // namespace ws
