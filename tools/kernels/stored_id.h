// The id that content has in this archive.
#pragma once

#include "runtime/archive/store/archive.h"
#include "runtime/kernel/kernel.h"
#include "runtime/kernel/problem.h"

namespace ws {

/// Gives what was made from a client's text the id under which the same content is stored, which
/// may be the shorter one of an older version; so its evidence and line are found.
/// @errors kIo.
Status take_stored_id(Archive& archive, Problem& problem);
Status take_stored_id(Archive& archive, Kernel& kernel);

}  // namespace ws
