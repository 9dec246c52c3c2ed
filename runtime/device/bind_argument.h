// One argument of a launch and the parameter that takes it.
#pragma once

#include <string>

#include "runtime/compile/compile.h"
#include "runtime/device/arena.h"
#include "runtime/device/run_plan.h"
#include "runtime/kernel/plan/plan.h"

namespace ws {

/// "(const float * a, int n)": the parameters as declared; a binary keeps their types only.
std::string parameter_list(const CompiledEntry& entry);

/// @param where  "launches[0].args[2]".
/// @errors kInvalidArgument: its kind, type or size is another one than the parameter's.
Status check_argument(const LaunchArg& arg, const EntryParam& param, const std::string& where);

/// @param arg  One that check_argument() has passed.
RunArg bind_argument(const LaunchArg& arg, const EntryParam& param, const Arena& arena);

}  // namespace ws
