// What the tool workflow can do, one function each.
#pragma once

#include <string>

#include "runtime/lineage/workflow_line.h"
#include "runtime/session/services.h"
#include "tools/answer/envelope.h"

namespace ws {

/// What every action is asked with.
struct WorkflowRequest {
  std::string ref;   ///< A kernel: id, or name@branch.
  std::string name;  ///< A ref.
  std::string a;
  std::string b;
  std::string device_id;   ///< "cpu:0"
  std::string device_key;  ///< What its evidence is kept under.
  bool full = false;
};

/// The tree that a kernel stands in, from its first ancestor on; or the refs where `ref` is empty.
/// @errors kNotFound.
Result<Json> log_workflow(Services& services, LineStore& lines, const WorkflowRequest& request);

/// What kernel `b` has otherwise than `a`: source, macros, plan, evidence.
/// @errors kNotFound; kInvalidArgument: they solve different problems.
Result<Json> compare_kernels(Services& services, LineStore& lines, const WorkflowRequest& request);

/// A report and a script of the line that leads to a kernel.
/// @errors kNotFound; kUnsupported: a kernel of it is no edit of its parent.
Result<Json> export_workflow(Services& services, LineStore& lines, const WorkflowRequest& request);

}  // namespace ws
