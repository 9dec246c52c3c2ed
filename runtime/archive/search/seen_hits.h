// Hits of a search for a viewer that does not see all: as if the rows that are hidden from it were
// not there.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "runtime/archive/search/candidates.h"
#include "runtime/archive/search/search.h"
#include "runtime/archive/store/sqlite.h"

namespace ws::store {

/// One row for each device that judged the kernel; one with an empty device where none did.
inline constexpr const char* kStatusesOfKernel =
    "SELECT k.kernel_id, p.problem_id, k.fingerprint, coalesce(s.device, ''), s.state, s.verdict, "
    "s.evidence_id, s.ratio, s.against, s.arch, s.at_ms FROM indexed_kernels k "
    "JOIN problem_facts p ON p.seq = k.problem LEFT JOIN standings s ON s.kernel = k.seq "
    "WHERE k.seq = ?";

/// A hit, and the architecture of its device.
struct SeenStanding {
  SearchHit hit;
  std::int64_t fingerprint = 0;
  std::string arch;
};

/// How the kernel of a number stands, on each device that judged it by evidence that the viewer
/// sees. @param rows  kStatusesOfKernel.
Result<std::vector<SeenStanding>> seen_standings(Connection& connection, Statement& rows,
                                                 std::int64_t seq);

/// Words of labels that the viewer does not see lead it to no kernel.
/// @return False: no other reason is left.
Result<bool> keep_seen_words(Connection& connection, std::int64_t seq, Reasons& reasons);

}  // namespace ws::store
