// Evidence that nodes measure, in a database: kept only while the job's lease is held, and once for
// each question of a job.
#pragma once

#include "runtime/archive/store/archive.h"
#include "runtime/archive/store/sqlite.h"
#include "runtime/base/viewer.h"

namespace ws::store {

/// Adds a row, which has its id, and notes who measured it. No other node gets the job before this
/// transaction ends. What a node that ended with the same job had measured to the same question is
/// removed: nobody was told of it. @errors kConflict: the lease is not held any more.
Status put_leased_evidence(Connection& connection, const WorkLease& lease,
                           const EvidenceRow& evidence);

}  // namespace ws::store
