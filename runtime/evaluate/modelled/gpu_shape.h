// The resources that a GPU's compiler gives a kernel: registers, spills, and the occupancy they
// leave.
#pragma once

#include "runtime/evaluate/prepared.h"
#include "runtime/evaluate/subject.h"
#include "runtime/profile/model.h"

namespace ws {

/// The launches of a plan, as a GPU of `arch` sees them.
/// @param image  Registers that it does not know (the CPU engine's) do not limit occupancy.
std::vector<LaunchShape> launch_shapes(const ResolvedPlan& plan, const Image& image,
                                       std::string_view arch);

/// Compiles for a GPU and adds the known resources to the launches. If the kernel does not compile
/// there, they stay as they are.
/// @param gpu  A device, or a compiler for kHopper. @errors  Those of compile_for.
Status add_registers(Backend& gpu, const Subject& subject, const Workload& workload,
                     const Params& params, ProfileInput& input, const std::stop_token& stop);

}  // namespace ws
