// Hits of a search for a viewer that does not see all: as if the rows that are hidden from it were
// not there.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "runtime/archive/search/candidates.h"
#include "runtime/archive/search/search.h"
#include "runtime/archive/store/sqlite.h"

namespace ws::store {

/// A hit, and the architecture of its device.
struct SeenStanding {
  SearchHit hit;
  std::int64_t fingerprint = 0;
  std::string arch;
};

/// How each of these kernels stands on the devices that judged it, as the viewer sees it; one with
/// an empty device where none did. @param numbers  In the index.
Result<std::vector<std::vector<SeenStanding>>> seen_standings(
    Connection& connection, const std::vector<std::int64_t>& numbers);

/// How many of these kernels were never judged. @param exclude  The id of one that does not count.
Result<std::size_t> count_unjudged(Connection& connection, const std::vector<std::int64_t>& numbers,
                                   const std::string& exclude);

/// Words of labels that the viewer does not see lead it to no kernel: takes them from the reasons,
/// and a kernel without another reason from what was found.
Status drop_hidden_words(Connection& connection, const std::vector<std::int64_t>& numbers,
                         Candidates& found);

}  // namespace ws::store
