// The counters of a profile for each line of the kernel's source, as the record keeps them.
#pragma once

#include "tools/profile/groups.h"

namespace ws {

/// {columns, rows}: a row has a number for each column, the first is that of the line. Null stands
/// where a line made no such request. For kernels of threads the columns are those of the group
/// `source`, each ratio beside its ideal; for kernels of tiles those of the group `tiles`, added up
/// by line. At most 2000 lines, the first ones. Null: nothing was counted by line.
Json line_counters(const Profile& profile);

}  // namespace ws
