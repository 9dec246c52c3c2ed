// Shares rows with all principals, and takes that back.
#include <array>

#include "runtime/archive/store/store.h"
#include "runtime/archive/store/visible.h"

namespace ws::store {
namespace {

/// The rows that go along with a kernel: its problem, its evidence and labels, and how it was made.
/// Not its refs, whose names another principal may have given too.
constexpr std::array<const char*, 4> kWithKernel = {
    "SELECT problem_id FROM kernels WHERE id = ?1",
    "SELECT id FROM evidence WHERE kernel_id = ?1",
    "SELECT 'lbl_' || seq FROM labels WHERE kernel_id = ?1 AND kind <> 'ref'",
    "SELECT 'try_' || seq FROM pass_tries WHERE kernel_id = ?1",
};

/// @return How many rows others see now that they did not see, or the other way round.
Result<std::uint64_t> set_shared(Connection& connection, const std::string& ids,
                                 const std::string& id, bool shared) {
  WS_TRY(Statement update,
         connection.prepare("UPDATE owners SET shared = ?2 WHERE shared <> ?2 AND id IN (" + ids +
                            ")"));
  WS_CHECK(update.bind(id).bind(std::int64_t{shared ? 1 : 0}).run());
  return static_cast<std::uint64_t>(connection.changes());
}

Result<std::string> whole_id(Connection& connection, const std::string& name) {
  if (name.starts_with("prb_")) {
    return find_id(connection, Named::kProblem, name);
  }
  if (name.starts_with("evd_")) {
    WS_TRY(const EvidenceRow row, evidence(connection, name));
    return row.id;
  }
  if (name.starts_with("job_")) {
    WS_TRY(const JobRow row, job(connection, name));
    return row.id;
  }
  return find_id(connection, Named::kKernel, name);
}

}  // namespace

Result<Sharing> share(Connection& connection, const std::string& name, bool shared) {
  Sharing sharing;
  WS_TRY(sharing.id, whole_id(connection, name));
  WS_TRY(Statement owned, connection.prepare("SELECT 1 FROM owners WHERE id = ? LIMIT 1"));
  WS_TRY(const bool has_owner, owned.bind(sharing.id).step());
  if (!has_owner && !shared) {
    return fail(ErrorCode::kUnsupported, sharing.id + " is everybody's: nobody owns it",
                "only what principals stored can be taken back");
  }
  WS_TRY(sharing.rows, set_shared(connection, "?1", sharing.id, shared));
  for (const char* ids : kWithKernel) {
    // Others may have kernels of the problem, so it stays shared.
    if (sharing.id.starts_with("krn_") && (shared || ids != kWithKernel.front())) {
      WS_TRY(const std::uint64_t rows, set_shared(connection, ids, sharing.id, shared));
      sharing.rows += rows;
    }
  }
  return sharing;
}

}  // namespace ws::store
