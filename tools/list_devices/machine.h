// The compilers, disassemblers and packages of a machine, and how to get those that it lacks.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "runtime/session/services.h"
#include "tools/tool.h"

namespace ws {

/// Something that a kernel's author may want to use.
struct Facility {
  std::string what;   ///< "nvidia_targets", "disassembler", "torch", ...
  std::string value;  ///< Its version or place; empty: it is not here.
  std::string gives;  ///< Its use.
  std::string fix;    ///< The one line that installs it; only where it is missing.
};

/// All facilities, missing ones too, in one order. Looks at files, starts nothing; some
/// milliseconds. @param root  "/", or a folder that stands for it.
std::vector<Facility> facilities(const ServicesOptions& options, const std::filesystem::path& root);

/// {"what", "value"} or {"what", "missing", "fix"}.
void to_json(Json& form, const Facility& facility);

}  // namespace ws
