// Arguments of a launch and expressions in a T1 file of Kernel Tuner.
#pragma once

#include <cstdint>
#include <string>

#include <nlohmann/json_fwd.hpp>

#include "runtime/handover/handover.h"

namespace ws {

/// kUnsupported: "<id of the kernel> <why>".
tl::unexpected<Error> t1_unsupported(const Kernel& kernel, const std::string& why);

/// The value of an expression without parameters. @errors kUnsupported: it has some.
/// @param what  "its shared memory", for the message.
Result<std::int64_t> t1_number(const Kernel& kernel, const Bindings& sizes, const std::string& text,
                               const std::string& what);

/// Kernel Tuner evaluates conditions and divisors as Python.
/// @errors kUnsupported: the expression calls a function that Python does not have.
Status check_t1_expression(const Kernel& kernel, const std::string& text);

/// One of KernelSpecification.Arguments. @param sizes  Those of the hand-over's workload.
/// @errors kUnsupported: what such a file cannot pass.
Result<nlohmann::ordered_json> t1_argument(const Handover& handover, const Bindings& sizes,
                                           const LaunchArgSpec& arg);

}  // namespace ws
