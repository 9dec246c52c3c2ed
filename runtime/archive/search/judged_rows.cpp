#include "runtime/archive/search/judged_rows.h"

#include <algorithm>
#include <iterator>
#include <limits>

#include "runtime/archive/store/visible.h"
#include "runtime/base/viewer.h"

namespace ws::store {
namespace {

constexpr int kMostChained = 50;  // Kernels without a ratio against the reference.
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

/// @param timed  Those with a ratio against the reference, else the others.
Status read_part(Connection& connection, const Judged& judged, bool timed, const PageMark& from,
                 int most, std::vector<MarkedKernel>& rows) {
  const std::string order =
      timed ? std::string(kSpeedUp) + " <= ? AND (" + kSpeedUp + " < ? OR s.kernel < ?) ORDER BY " +
                  kSpeedUp + " DESC, s.kernel DESC"
            : std::string(kSpeedUp) + " IS NULL AND s.kernel < ? ORDER BY s.kernel DESC";
  WS_TRY(Statement statement,
         connection.prepare(
             std::string("SELECT ") + kSpeedUp + ", s.kernel, k.id, k.name, k.problem_id, " +
             seen_parent("k.parent") + ", k.created_at, " + kStandingColumns +
             " FROM standings s JOIN indexed_kernels i ON i.seq = s.kernel "
             "JOIN kernels k ON k.id = i.kernel_id "
             "WHERE s.problem = ? AND s.state = ? AND s.device = ?" +
             and_seen("k.id") + and_seen("s.evidence_id") + " AND " + order + " LIMIT ?"));
  statement.bind(judged.problem).bind(static_cast<std::int64_t>(judged.state)).bind(judged.device);
  if (timed) {
    const double speed_up = from.speed_up.value_or(std::numeric_limits<double>::max());
    statement.bind_real(speed_up).bind_real(speed_up);
  }
  statement.bind(from.number).bind(most - static_cast<int>(rows.size()));
  WS_CHECK(
      for_each_row(statement, [&rows](const Statement& row) { rows.push_back(read_judged(row)); }));
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

/// A row of the list stays, with the speed that the viewer sees: the evidence is one that it sees.
Status hide_unseen_speed(Connection& connection, ListedKernel& kernel) {
  ListedStanding& standing = kernel.standings.front();
  WS_TRY(auto own, seen_standing(connection, kernel.row.id, standing));
  if (own && own->passed == standing.passed) {
    standing = *std::move(own);
  } else {
    standing.speed.reset();
    standing.evidence_id.clear();
  }
  return {};
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

/// Each step goes straight to the next device in the index: no row of a device is read twice.
Result<std::vector<std::string>> devices_with(Connection& connection, std::int64_t problem,
                                              State state) {
  WS_TRY(Statement row, connection.prepare("SELECT device FROM standings WHERE problem = ? AND "
                                           "state = ? AND device > ? ORDER BY device LIMIT 1"));
  std::vector<std::string> devices;
  std::string last;
  while (true) {
    row.reset().bind(problem).bind(static_cast<std::int64_t>(state)).bind(last);
    WS_TRY(const bool more, row.step());
    if (!more) {
      return devices;
    }
    last = row.text(0);
    WS_TRY(const bool seen, has_seen(connection, {problem, state, last}));
    if (seen) {
      devices.push_back(last);
    }
  }
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
    WS_CHECK(hide_unseen_speed(connection, kernel));
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
