// The device code of a kernel as part of a file for nvcc: one text without headers of its own.
#pragma once

#include <string>
#include <string_view>

#include "runtime/base/result.h"
#include "runtime/kernel/kernel.h"
#include "runtime/kernel/plan/plan.h"

namespace ws {

struct DeviceCode {
  std::string text;  ///< Macros of the options, macros, source; headers in the place of includes.
  std::string cleanup;  ///< #undef lines for every macro that the text defines.
};

/// @param space  The namespace that the code stands in, behind the lines that include the toolkit's
///               headers; empty: none, and the text stays as it is.
/// @param tail   Lines that see the code's names and macros.
/// @errors kUnsupported: with its headers the text is larger than 8 MiB.
Result<DeviceCode> device_code(const RenderedSource& source, std::string_view space,
                               const std::string& tail);

}  // namespace ws
