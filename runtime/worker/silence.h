// A worker's output.
#pragma once

#include "runtime/base/result.h"

namespace ws {

/// From now on all that the process prints goes nowhere: standard output and error are the server's
/// own, and what is written there would stand in its log as if the server had said it. Call it
/// while files may be opened. @errors kIo.
Status silence();

}  // namespace ws
