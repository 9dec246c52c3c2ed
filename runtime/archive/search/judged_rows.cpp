#include "runtime/archive/search/judged_rows.h"

#include <algorithm>
#include <iterator>
#include <limits>
#include <set>

#include "runtime/archive/store/visible.h"
#include "runtime/base/viewer.h"

namespace ws::store {
namespace {

constexpr int kMostChained = 50;  // Kernels without a ratio against the reference.
/// Rows that are read at once where those before were in no list: each time twice as many, as a
/// read may have to look at all rows of a device.
constexpr int kLeastReadOn = 64;
constexpr const char* kSpeedUp = "CASE WHEN s.against = 'reference' THEN s.ratio END";

MarkedKernel read_judged(const Statement& row) {
  ListedKernel kernel;
  kernel.row = {.id = row.text(2),
                .name = row.text(3),
                .problem_id = row.text(4),
                .parent = row.text(5),
                .json = {},
                .created_at = row.text(6)};
  kernel.standings.push_back(read_standing(row, 7));
  return {PageMark{row.real(0), row.integer(1)}, std::move(kernel)};
}

/// Which rows read_rows_of() reads, and their order: straight from an index for a viewer that sees
/// all, as nothing is hidden from it then.
std::string rows_of_part(bool timed) {
  const std::string speed_up = kSpeedUp;
  const std::string seen = "(1 = 1" + and_seen("s.evidence_id") + ")";
  if (timed) {
    return "s.state = ? AND " + seen + " AND " + speed_up + " <= ? AND (" + speed_up +
           " < ? OR s.kernel < ?) ORDER BY " + speed_up + " DESC, s.kernel DESC";
  }
  const std::string untimed = "s.state = ? AND " + speed_up + " IS NULL";
  const std::string which = current_viewer().sees_all
                                ? untimed
                                : "((" + untimed + " AND " + seen + ") OR NOT " + seen + ")";
  return which + " AND s.kernel < ? ORDER BY s.kernel DESC";
}

/// The rows of one read, before what the viewer sees of them is looked at.
/// @param timed  Those with a ratio against the reference whose evidence the viewer sees. Else the
/// others, and those of either state that follow from evidence which is hidden from it: they have
/// the state that its own evidence gives them, or none.
Result<std::vector<MarkedKernel>> read_rows_of(Connection& connection, const Judged& judged,
                                               bool timed, const PageMark& from, int most) {
  WS_TRY(Statement statement,
         connection.prepare(
             std::string("SELECT ") + kSpeedUp + ", s.kernel, k.id, k.name, k.problem_id, " +
             seen_parent("k.parent") + ", k.created_at, " + kStandingColumns +
             " FROM standings s JOIN indexed_kernels i ON i.seq = s.kernel "
             "JOIN kernels k ON k.id = i.kernel_id WHERE s.problem = ? AND s.device = ?" +
             and_seen("k.id") + " AND " + rows_of_part(timed) + " LIMIT ?"));
  statement.bind(judged.problem).bind(judged.device);
  statement.bind(static_cast<std::int64_t>(judged.state));
  if (timed) {
    const double speed_up = from.speed_up.value_or(std::numeric_limits<double>::max());
    statement.bind_real(speed_up).bind_real(speed_up);
  }
  return read_rows(statement.bind(from.number).bind(most), read_judged);
}

/// Whether a row belongs into the list as the viewer sees it, which it is then.
Result<bool> show_as_seen(Connection& connection, const Judged& judged, MarkedKernel& row) {
  ListedStanding& standing = row.second.standings.front();
  const bool passed = judged.state == State::kPassed;
  WS_TRY(const bool decided, is_seen(connection, standing.evidence_id));
  WS_TRY(auto own, seen_standing(connection, row.second.row.id, standing));
  if (own && own->passed == passed) {
    standing = *std::move(own);
    if (!decided) {
      row.first.speed_up.reset();  // Its place is among the untimed ones, by its number.
    }
    return true;
  }
  if (decided && standing.passed == passed) {  // A baseline is hidden.
    standing.speed.reset();
    standing.evidence_id.clear();
    return true;
  }
  return false;
}

/// Reads on where rows turn out to be in no list, or in the other one.
Status read_part(Connection& connection, const Judged& judged, bool timed, PageMark from, int most,
                 std::vector<MarkedKernel>& rows) {
  const auto missing = [&] { return most - static_cast<int>(rows.size()); };
  for (int wanted = missing(); missing() > 0; wanted = std::max(2 * wanted, kLeastReadOn)) {
    WS_TRY(auto read, read_rows_of(connection, judged, timed, from, wanted));
    for (auto row = read.begin(); row != read.end() && missing() > 0; ++row) {
      from = row->first;
      WS_TRY(const bool shown, show_as_seen(connection, judged, *row));
      if (shown) {
        rows.push_back(std::move(*row));
      }
    }
    if (static_cast<int>(read.size()) < wanted) {
      break;
    }
  }
  return {};
}

/// Whether the viewer sees one of them.
Result<bool> has_seen(Connection& connection, const Judged& judged) {
  if (current_viewer().sees_all) {
    return true;
  }
  std::vector<MarkedKernel> first;
  WS_CHECK(read_part(connection, judged, true, PageMark(), 1, first));
  if (first.empty()) {
    WS_CHECK(read_part(connection, judged, false, PageMark(), 1, first));
  }
  return !first.empty();
}

/// Each step goes straight to the next device in the index: no row of a device is read twice.
Status add_devices(Connection& connection, std::int64_t problem, State state,
                   std::set<std::string>& devices) {
  WS_TRY(Statement row, connection.prepare("SELECT device FROM standings WHERE problem = ? AND "
                                           "state = ? AND device > ? ORDER BY device LIMIT 1"));
  std::string last;
  while (true) {
    row.reset().bind(problem).bind(static_cast<std::int64_t>(state)).bind(last);
    WS_TRY(const bool more, row.step());
    if (!more) {
      return {};
    }
    last = row.text(0);
    devices.insert(last);
  }
}

double total_or_zero(const ListedKernel& kernel) {
  const auto& speed = kernel.standings.front().speed;
  return speed ? speed->total.value_or(0) : 0;
}

}  // namespace

Result<std::int64_t> number_of_problem(Connection& connection, const std::string& id) {
  WS_TRY(Statement row, connection.prepare("SELECT seq FROM problem_facts WHERE problem_id = ?"));
  WS_TRY(const bool found, row.bind(id).step());
  return found ? row.integer(0) : 0;
}

/// A viewer that does not see all may see a kernel in another state than that of the index.
Result<std::vector<std::string>> devices_with(Connection& connection, std::int64_t problem,
                                              State state) {
  std::set<std::string> devices;
  for (const State stored : {State::kPassed, State::kFailed}) {
    if (stored == state || !current_viewer().sees_all) {
      WS_CHECK(add_devices(connection, problem, stored, devices));
    }
  }
  std::vector<std::string> found;
  for (const std::string& device : devices) {
    WS_TRY(const bool seen, has_seen(connection, {problem, state, device}));
    if (seen) {
      found.push_back(device);
    }
  }
  return found;
}

Result<std::vector<MarkedKernel>> read_judged_rows(Connection& connection, const Judged& judged,
                                                   const PageMark* from, int most) {
  std::vector<MarkedKernel> rows;
  if (from == nullptr || from->speed_up) {
    WS_CHECK(read_part(connection, judged, true, from == nullptr ? PageMark() : *from, most, rows));
  }
  if (static_cast<int>(rows.size()) < most) {
    const bool behind = from != nullptr && !from->speed_up;
    WS_CHECK(read_part(connection, judged, false, behind ? *from : PageMark(), most, rows));
  }
  for (auto& [mark, kernel] : rows) {
    WS_CHECK(add_evidence_facts(connection, kernel.standings.front()));
  }
  return rows;
}

Result<std::vector<ListedKernel>> fastest_of(Connection& connection, std::int64_t problem) {
  std::vector<ListedKernel> found;
  WS_TRY(const auto devices, devices_with(connection, problem, State::kPassed));
  for (const std::string& device : devices) {
    const Judged judged{problem, State::kPassed, device};
    const PageMark untimed;
    WS_TRY(auto rows, read_judged_rows(connection, judged, nullptr, 1));
    WS_TRY(auto others, read_judged_rows(connection, judged, &untimed, kMostChained));
    std::move(others.begin(), others.end(), std::back_inserter(rows));
    const auto best =
        std::max_element(rows.begin(), rows.end(), [](const auto& one, const auto& other) {
          return total_or_zero(one.second) < total_or_zero(other.second);
        });
    if (best != rows.end()) {
      found.push_back(std::move(best->second));
    }
  }
  return found;
}

}  // namespace ws::store
