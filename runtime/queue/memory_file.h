// Text for another process, in a file that has no name.
#pragma once

#include <string_view>

#include "runtime/base/files.h"
#include "runtime/base/result.h"

namespace ws {

/// A file in memory with `text`; what writes on goes behind it. @errors kIo: there is no memory.
Result<Fd> memory_file(std::string_view text);

}  // namespace ws
