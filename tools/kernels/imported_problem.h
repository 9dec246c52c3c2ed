// Problems that are sent as a PyTorch module: {"reference": {"kind": "pytorch", "source": ...}}.
#pragma once

#include <stop_token>
#include <string>
#include <vector>

#include "runtime/session/services.h"
#include "tools/tool.h"

namespace ws {

/// Whether a problem's form is a module, of which its arguments are still to be found out.
bool is_module(const Json& problem);

struct ImportedForm {
  Json form;  ///< The problem as if it had been written out.
  std::vector<std::string> notes;
};

/// Runs the module in its sandbox. Fields beside the reference take the place of those that were
/// found: a name, a tolerance, other dims.
/// @errors kInvalidArgument: `args` are given, or the source is none; those of
/// ModuleImporter::import.
Result<ImportedForm> import_problem(Services& services, const Json& problem,
                                    const std::stop_token& stop);

}  // namespace ws
