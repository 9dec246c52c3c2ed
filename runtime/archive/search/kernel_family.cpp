#include "runtime/archive/search/kernel_family.h"

#include <algorithm>
#include <set>
#include <utility>

#include "runtime/archive/search/kernel_status.h"
#include "runtime/archive/search/listed_standing.h"
#include "runtime/archive/store/store.h"
#include "runtime/archive/store/visible.h"

namespace ws::store {
namespace {

std::string member_columns() {
  return "SELECT id, name, problem_id, " + seen_parent("kernels.parent") +
         ", created_at FROM kernels ";
}

KernelRow read_member(const Statement& row) {
  return {.id = row.text(0),
          .name = row.text(1),
          .problem_id = row.text(2),
          .parent = row.text(3),
          .json = {},
          .created_at = row.text(4)};
}

/// Collects relatives until there are enough.
class Gathering {
 public:
  Gathering(Connection& connection, std::size_t most)
      : connection_(connection),
        most_(most) {}

  /// The kernel and its ancestors, the first one first. Of a long line the nearest half of what is
  /// wanted.
  Status add_line(const std::string& kernel_id) {
    std::string id = kernel_id;
    while (!id.empty()) {
      if (rows_.size() >= std::max<std::size_t>(most_ / 2, 1)) {
        cut_ = true;
        break;
      }
      WS_TRY(Statement row, connection_.prepare(member_columns() + "WHERE id = ?"));
      WS_TRY(const bool found, row.bind(id).step());
      if (!found) {
        break;
      }
      add(read_member(row));
      id = rows_.back().parent;
    }
    std::reverse(rows_.begin(), rows_.end());
    return {};
  }

  /// Adds all that was made from the rows from `first` on, in breadth.
  Status add_descendants(std::size_t first) {
    for (std::size_t at = first; at < rows_.size(); ++at) {
      WS_CHECK(add_children(rows_[at].id));
    }
    return {};
  }

  Status add_children(const std::string& id) {
    if (rows_.size() >= most_) {
      cut_ = true;
      return {};
    }
    WS_TRY(Statement rows,
           connection_.prepare(member_columns() + "WHERE parent = ?" + and_seen("kernels.id") +
                               " ORDER BY rowid DESC LIMIT ?"));
    rows.bind(id).bind(static_cast<std::int64_t>(most_ + 1));
    WS_TRY(const auto children, read_rows(rows, read_member));
    for (const KernelRow& child : children) {
      if (rows_.size() < most_) {
        add(child);
      } else {
        cut_ = cut_ || !known_.contains(child.id);
      }
    }
    return {};
  }

  [[nodiscard]] const std::vector<KernelRow>& rows() const { return rows_; }

  [[nodiscard]] bool cut() const { return cut_; }

 private:
  void add(KernelRow row) {
    if (known_.insert(row.id).second) {
      rows_.push_back(std::move(row));
    }
  }

  Connection& connection_;
  const std::size_t most_;
  std::vector<KernelRow> rows_;
  std::set<std::string> known_;
  bool cut_ = false;
};

Result<std::optional<PassTry>> newest_try(Connection& connection, const std::string& kernel_id) {
  WS_TRY(Statement row,
         connection.prepare("SELECT transformation, pass, passes, " + seen_parent("base_id") +
                            ", verdict, reason, attempt "
                            "FROM pass_tries WHERE kernel_id = ?" +
                            and_seen(kTryId) + " ORDER BY seq DESC LIMIT 1"));
  WS_TRY(const bool found, row.bind(kernel_id).step());
  return found ? std::optional(PassTry{.transformation = row.text(0),
                                       .pass = row.integer(1),
                                       .passes = row.integer(2),
                                       .base_id = row.text(3),
                                       .kernel_id = kernel_id,
                                       .verdict = verdict_of_row(row.text(4)),
                                       .reason = row.text(5),
                                       .attempt = row.integer(6)})
               : std::nullopt;
}

}  // namespace

Result<KernelFamily> family_of(Connection& connection, const std::string& kernel_id,
                               std::size_t most) {
  WS_CHECK(require_kernel(connection, kernel_id));
  Gathering gathering(connection, most);
  WS_CHECK(gathering.add_line(kernel_id));
  const std::size_t line = gathering.rows().size();
  WS_CHECK(gathering.add_descendants(line - 1));
  for (std::size_t at = line - 1; at > 0; --at) {
    WS_CHECK(gathering.add_children(std::string(gathering.rows()[at - 1].id)));
  }
  KernelFamily family{.members = {}, .cut = gathering.cut()};
  for (const KernelRow& row : gathering.rows()) {
    FamilyMember member{.kernel = {.row = row}};
    WS_TRY(member.kernel.standings, whole_standings(connection, row.id));
    WS_TRY(member.pass, newest_try(connection, row.id));
    family.members.push_back(std::move(member));
  }
  return family;
}

}  // namespace ws::store
