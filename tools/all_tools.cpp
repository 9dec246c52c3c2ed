#include "tools/all_tools.h"

namespace ws {

void add_all_tools(ToolRegistry& /*registry*/, Services& /*services*/) {}

}  // namespace ws
