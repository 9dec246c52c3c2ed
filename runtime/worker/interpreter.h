// How a worker becomes a Python interpreter.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "runtime/base/files.h"
#include "runtime/base/result.h"

namespace ws {

/// Replaces the process by the interpreter with `program`; comes back only when it fails. The
/// program finds the worker's socket as descriptor 3 and `descriptors` from 4 on, in their order.
/// It reads no settings of the machine, and no cache of compiled modules is written.
/// @param site  Whether packages that are installed beside Python's own library can be imported.
/// @errors kIo: it cannot be started.
tl::unexpected<Error> become_interpreter(const std::string& interpreter, std::string_view program,
                                         std::span<const int> descriptors, bool site);

}  // namespace ws
