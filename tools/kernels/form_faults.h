// All mistakes of the forms that a call sends: their readers stop at the first one.
#pragma once

#include "runtime/base/error.h"
#include "tools/tool.h"

namespace ws {

/// The error of reading a call's `problem` or `kernel`, with the other mistakes that the published
/// schemas find in both forms. An error of another kind stays as it is. Any thread.
Error with_all_faults(Error first, const Json& arguments);

}  // namespace ws
