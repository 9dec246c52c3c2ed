#include "runtime/archive/search/listing.h"

#include <algorithm>
#include <utility>

#include "runtime/archive/search/judged_rows.h"
#include "runtime/archive/search/kernel_family.h"
#include "runtime/archive/search/kernel_status.h"
#include "runtime/archive/search/listed_standing.h"
#include "runtime/archive/search/page_mark.h"
#include "runtime/archive/store/shared_connection.h"
#include "runtime/archive/store/store.h"
#include "runtime/archive/store/visible.h"
#include "runtime/search/words.h"

namespace ws {
namespace {

using store::Judged;
using store::MarkedKernel;
using store::PageMark;
using store::State;

constexpr std::size_t kMostWords = 12;

int bounded(int most) {
  return std::clamp(most, 1, kMostListed);
}

/// The mark that a request brings; none: that of the first page.
Result<PageMark> first_or(const std::string& mark) {
  return mark.empty() ? Result<PageMark>(PageMark()) : store::mark_of_text(mark);
}

Result<std::int64_t> count_kernels(Connection& connection, const std::string& problem_id) {
  WS_TRY(Statement row, connection.prepare("SELECT count(*) FROM (SELECT 1 FROM kernels WHERE "
                                           "problem_id = ?" +
                                           store::and_seen("kernels.id") + " LIMIT ?) AS counted"));
  WS_CHECK(row.bind(problem_id).bind(kMostCounted).step());
  return row.integer(0);
}

}  // namespace

ArchiveListing::ArchiveListing(std::unique_ptr<SharedConnection> connection)
    : connection_(std::move(connection)) {}

ArchiveListing::~ArchiveListing() = default;

Result<std::unique_ptr<ArchiveListing>> ArchiveListing::open(const ArchivePlace& place) {
  WS_TRY(auto connection, SharedConnection::open(place));
  return std::unique_ptr<ArchiveListing>(new ArchiveListing(std::move(connection)));
}

Result<ListedPage<ListedProblem>> ArchiveListing::problems(const std::string& mark, int most) {
  most = bounded(most);
  WS_TRY(const PageMark from, first_or(mark));
  return connection_->use([&](Connection& connection) -> Result<ListedPage<ListedProblem>> {
    WS_TRY(Statement rows,
           connection.prepare("SELECT rowid, id, name, created_at FROM problems "
                              "WHERE rowid < ?" +
                              store::and_seen("problems.id") + " ORDER BY rowid DESC LIMIT ?"));
    WS_TRY(auto read, read_rows(rows.bind(from.number).bind(most + 1), [](const Statement& row) {
             return std::pair(PageMark{{}, row.integer(0)},
                              ListedProblem{.row = {.id = row.text(1),
                                                    .name = row.text(2),
                                                    .json = {},
                                                    .created_at = row.text(3)}});
           }));
    auto page = store::page_of(std::move(read), most);
    for (ListedProblem& problem : page.rows) {
      WS_TRY(problem.kernels, count_kernels(connection, problem.row.id));
      WS_TRY(const std::int64_t number, store::number_of_problem(connection, problem.row.id));
      WS_TRY(problem.fastest, store::fastest_of(connection, number));
    }
    return page;
  });
}

Result<std::vector<std::string>> ArchiveListing::devices(const std::string& problem_id) {
  return connection_->use([&](Connection& connection) -> Result<std::vector<std::string>> {
    WS_TRY(const std::int64_t number, store::number_of_problem(connection, problem_id));
    WS_TRY(auto devices, store::devices_with(connection, number, State::kPassed));
    WS_TRY(const auto failed, store::devices_with(connection, number, State::kFailed));
    devices.insert(devices.end(), failed.begin(), failed.end());
    std::sort(devices.begin(), devices.end());
    devices.erase(std::unique(devices.begin(), devices.end()), devices.end());
    return devices;
  });
}

Result<std::vector<ListedKernel>> ArchiveListing::fastest(const std::string& problem_id) {
  return connection_->use([&](Connection& connection) -> Result<std::vector<ListedKernel>> {
    WS_TRY(const std::int64_t number, store::number_of_problem(connection, problem_id));
    return store::fastest_of(connection, number);
  });
}

Result<std::vector<ListedKernel>> ArchiveListing::rejected(const std::string& problem_id) {
  return connection_->use([&](Connection& connection) -> Result<std::vector<ListedKernel>> {
    WS_TRY(const std::int64_t number, store::number_of_problem(connection, problem_id));
    std::vector<ListedKernel> found;
    WS_TRY(const auto devices, store::devices_with(connection, number, State::kFailed));
    for (const std::string& device : devices) {
      const PageMark untimed;  // A kernel that failed has no ratio.
      WS_TRY(auto rows,
             store::read_judged_rows(connection, {number, State::kFailed, device}, &untimed, 1));
      if (!rows.empty()) {
        found.push_back(std::move(rows.front().second));
      }
    }
    return found;
  });
}

Result<ListedPage<ListedKernel>> ArchiveListing::judged(const std::string& problem_id, bool passed,
                                                        const std::string& device,
                                                        const std::string& mark, int most) {
  most = bounded(most);
  WS_TRY(const PageMark from, first_or(mark));
  return connection_->use([&](Connection& connection) -> Result<ListedPage<ListedKernel>> {
    WS_TRY(const std::int64_t number, store::number_of_problem(connection, problem_id));
    const Judged judged{number, passed ? State::kPassed : State::kFailed, device};
    WS_TRY(auto rows,
           store::read_judged_rows(connection, judged, mark.empty() ? nullptr : &from, most + 1));
    return store::page_of(std::move(rows), most);
  });
}

Result<ListedPage<ListedKernel>> ArchiveListing::newest(const std::string& problem_id,
                                                        const std::string& mark, int most) {
  most = bounded(most);
  WS_TRY(const PageMark from, first_or(mark));
  return connection_->use([&](Connection& connection) -> Result<ListedPage<ListedKernel>> {
    WS_TRY(Statement rows,
           connection.prepare("SELECT k.rowid, k.id, k.name, k.problem_id, " +
                              store::seen_parent("k.parent") +
                              ", k.created_at FROM kernels k WHERE k.problem_id = ? AND "
                              "k.rowid < ?" +
                              store::and_seen("k.id") + " ORDER BY k.rowid DESC LIMIT ?"));
    std::vector<MarkedKernel> read;
    rows.bind(problem_id).bind(from.number).bind(most + 1);
    WS_CHECK(for_each_row(rows, [&](const Statement& row) -> Status {
      ListedKernel kernel{.row = {.id = row.text(1),
                                  .name = row.text(2),
                                  .problem_id = row.text(3),
                                  .parent = row.text(4),
                                  .json = {},
                                  .created_at = row.text(5)}};
      WS_TRY(kernel.standings, store::whole_standings(connection, kernel.row.id));
      read.emplace_back(PageMark{{}, row.integer(0)}, std::move(kernel));
      return {};
    }));
    return store::page_of(std::move(read), most);
  });
}

Result<std::vector<ListedKernel>> ArchiveListing::search(const std::string& query, int most) {
  SearchRequest request;
  request.words = words_of(query, kMostWords);
  request.failures = true;
  request.limit = static_cast<std::size_t>(bounded(most));
  if (request.words.empty()) {
    return std::vector<ListedKernel>();
  }
  return connection_->use([&](Connection& connection) -> Result<std::vector<ListedKernel>> {
    WS_TRY(const SearchResult result, store::search(connection, request));
    std::vector<ListedKernel> kernels;
    for (const SearchHit& hit : result.hits) {
      WS_TRY(KernelRow row, store::kernel(connection, hit.kernel_id));
      row.json.clear();
      WS_TRY(auto standings, store::whole_standings(connection, hit.kernel_id));
      kernels.push_back({.row = std::move(row), .standings = std::move(standings)});
    }
    return kernels;
  });
}

Result<std::vector<ListedStanding>> ArchiveListing::standings(const std::string& kernel_id) {
  return connection_->use([&](Connection& c) { return store::whole_standings(c, kernel_id); });
}

Result<KernelFamily> ArchiveListing::family(const std::string& kernel_id, std::size_t most) {
  return connection_->use([&](Connection& c) { return store::family_of(c, kernel_id, most); });
}

Result<ListedPage<EvidenceRow>> ArchiveListing::evidence_of(const std::string& kernel_id,
                                                            const std::string& mark, int most) {
  most = bounded(most);
  WS_TRY(const PageMark from, first_or(mark));
  return connection_->use([&](Connection& connection) -> Result<ListedPage<EvidenceRow>> {
    WS_TRY(
        Statement rows,
        connection.prepare("SELECT seq, id, kernel_id, problem_id, device, kind, key, verdict, "
                           "created_at, created_ms FROM evidence WHERE kernel_id = ? AND "
                           "seq < ? AND kind <> 'ptx'" +
                           store::and_seen_evidence("evidence") +
                           store::and_seen("evidence.kernel_id") + " ORDER BY seq DESC LIMIT ?"));
    rows.bind(kernel_id).bind(from.number).bind(most + 1);
    WS_TRY(auto read, read_rows(rows, [](const Statement& row) {
             return std::pair(PageMark{{}, row.integer(0)},
                              EvidenceRow{.id = row.text(1),
                                          .kernel_id = row.text(2),
                                          .problem_id = row.text(3),
                                          .device = row.text(4),
                                          .kind = row.text(5),
                                          .key = row.text(6),
                                          .verdict = store::verdict_of_row(row.text(7)),
                                          .json = {},
                                          .created_at = row.text(8),
                                          .created_ms = row.integer(9)});
           }));
    return store::page_of(std::move(read), most);
  });
}

Result<std::optional<EvidenceRow>> ArchiveListing::latest(const std::string& kernel_id,
                                                          const std::string& kind) {
  return connection_->use(
      [&](Connection& c) { return store::latest_evidence(c, kernel_id, {}, kind, {}, {}); });
}

Result<ProblemRow> ArchiveListing::problem(const std::string& id) {
  return connection_->use([&](Connection& c) { return store::problem(c, id); });
}

Result<KernelRow> ArchiveListing::kernel(const std::string& id_or_ref) {
  return connection_->use([&](Connection& c) { return store::kernel(c, id_or_ref); });
}

Result<EvidenceRow> ArchiveListing::evidence(const std::string& id) {
  return connection_->use([&](Connection& c) { return store::evidence(c, id); });
}

Result<JobRow> ArchiveListing::job(const std::string& id) {
  return connection_->use([&](Connection& c) { return store::job(c, id); });
}

Result<std::vector<LabelRow>> ArchiveListing::labels(const std::string& kernel_id, int most) {
  return connection_->use([&](Connection& c) {
    return store::labels(c, kernel_id, static_cast<std::size_t>(bounded(most)));
  });
}

}  // namespace ws
