// A stored kernel handed over, with the evidence that it is right.
#pragma once

#include <string>
#include <vector>

#include "runtime/archive/store/archive.h"
#include "runtime/handover/handover.h"

namespace ws {

/// A kernel as files that work without warpsmith.
struct HandedKernel {
  std::string kernel_id;
  std::vector<HandedFile> files;
  Provenance provenance;
};

/// @param ref  A kernel's id, or name@branch.
/// @errors kNotFound; kConflict: no validation was passed, or the newest one proves it wrong; those
/// of hand_over().
Result<HandedKernel> hand_over_stored(Archive& archive, const std::string& ref, HandoverForm form,
                                      bool allow_unverified);

}  // namespace ws
