// Whom rows belong to, and who sees them: pieces of statements for the viewer of this thread
// (viewer.h), and the writing of the table `owners`. A viewer that sees all costs reads nothing.
//
// Rows are told apart by ids: those of problems, kernels, evidence and jobs, the names of refs, and
// the ids that label_id() and try_id() make.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <string>
#include <string_view>

#include "runtime/archive/store/archive.h"
#include "runtime/archive/store/sqlite.h"

namespace ws::store {

/// " AND <the viewer sees the row of this id>"; empty where it sees all.
/// @param id  A column with the name of its table, or another expression; NULL is seen.
std::string and_seen(const std::string& id);

/// The same for a row of evidence. A benchmark is hidden where its baseline is: it has that
/// kernel's id and times.
/// @param table  The name that the table evidence has in the statement.
std::string and_seen_evidence(const std::string& table);

/// The same for the kernel of a number in the index.
std::string and_seen_number(const std::string& seq);

/// An expression: the parent's id, '' where there is none or the viewer does not see it.
/// @param parent  The column of kernels.
std::string seen_parent(const std::string& parent);

/// Whether the viewer sees the row of this id; true where nothing is known of it.
Result<bool> is_seen(Connection& connection, const std::string& id);

/// An expression: whether the viewer has nothing to claim of a stored row: it is everybody's, or
/// belongs to the viewer already, as much shared as the viewer shares.
std::string claimed_sql(const std::string& id);

/// In the table owners: of a row of labels, of pass_tries and of series, by its number.
std::string label_id(std::int64_t seq);
std::string try_id(std::int64_t seq);
std::string series_id(std::int64_t seq);
inline constexpr const char* kLabelId = "'lbl_' || labels.seq";
inline constexpr const char* kTryId = "'try_' || pass_tries.seq";

/// How much a row counts for each of its owners: its texts, and what every row takes.
std::int64_t counted_bytes(std::initializer_list<std::string_view> texts);

/// @errors kBusy: with so many bytes more the viewer would have more than it may, and with none
/// more it has as much as it may.
Status check_room(Connection& connection, std::int64_t more = 0);

/// A row that was added belongs to the viewer. @errors As check_room().
Status claim_new(Connection& connection, const std::string& id, std::int64_t bytes);

/// The same where the row is the result of work, which is kept in any case.
Status claim_result(Connection& connection, const std::string& id, std::int64_t bytes);

/// The row counts so much from now on, for each of its owners.
Status count_again(Connection& connection, const std::string& id, std::int64_t bytes);

/// A row that was there belongs to the viewer too, unless it is everybody's. @errors The same.
Status claim_known(Connection& connection, const std::string& id, std::int64_t bytes);

/// Nobody owns a row that is gone. A statement of one parameter: the id.
inline constexpr const char* kForgetOwners = "DELETE FROM owners WHERE id = ?";

/// Refs of viewers that do not share are stored as "OWNER:name@branch", so that nobody's names are
/// in the way of another's. An owner may have a colon in its name, a ref has none. @return  The
/// name by which the viewer's own ref is stored.
std::string own_ref(const std::string& name);

/// The name as the viewer gives it. @param stored  As in refs.
std::string shown_ref(const std::string& stored);

/// Whether the viewer may move the ref of this stored name: nobody's, its own, or it sees all.
Result<bool> may_move(Connection& connection, const std::string& stored);

}  // namespace ws::store
