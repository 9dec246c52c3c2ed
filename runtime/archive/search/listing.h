// The archive by pages, as people look at it: the newest first, or the fastest.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "runtime/archive/search/listed_standing.h"
#include "runtime/archive/store/archive.h"
#include "runtime/archive/store/archive_place.h"

namespace ws {

class SharedConnection;
struct KernelFamily;

struct ListedKernel {
  KernelRow row;  ///< Without `json`.
  std::vector<ListedStanding> standings{};
};

template <typename Row>
struct ListedPage {
  std::vector<Row> rows;  ///< In the order of the list.
  std::string next;       ///< The mark at which the next page begins; empty: this was the last one.
};

struct ListedProblem {
  ProblemRow row;                       ///< Without `json`.
  std::int64_t kernels = 0;             ///< No more than kMostCounted are counted.
  std::vector<ListedKernel> fastest{};  ///< As fastest().
};

inline constexpr std::int64_t kMostCounted = 1000;
inline constexpr int kMostListed = 100;  ///< Rows of one page.

/// Beside an Archive of the same place, with a connection of its own: a look never delays a
/// measurement. What each call reads is bounded, however large the archive is.
/// All methods: any thread. @errors of all of them: kIo; kInvalidArgument: a mark that no page
/// gave.
class ArchiveListing {
 public:
  /// The archive of the place must have been opened: it makes the tables.
  static Result<std::unique_ptr<ArchiveListing>> open(const ArchivePlace& place);

  ~ArchiveListing();
  ArchiveListing(const ArchiveListing&) = delete;
  ArchiveListing& operator=(const ArchiveListing&) = delete;

  /// The newest first. @param mark  Empty: from the beginning.
  Result<ListedPage<ListedProblem>> problems(const std::string& mark, int most);

  /// The devices on which kernels of a problem passed, or failed.
  Result<std::vector<std::string>> devices(const std::string& problem_id);

  /// The fastest kernel on each device, with its standing there only: of those timed against the
  /// reference the best, or one of the newest that passed, where its baselines lead to it.
  Result<std::vector<ListedKernel>> fastest(const std::string& problem_id);

  /// The newest kernel that failed on each device, with its standing there only.
  Result<std::vector<ListedKernel>> rejected(const std::string& problem_id);

  /// The kernels that passed on a device, those that were timed against the reference first, by
  /// their speed-up; or those that failed there, the newest first.
  Result<ListedPage<ListedKernel>> judged(const std::string& problem_id, bool passed,
                                          const std::string& device, const std::string& mark,
                                          int most);

  /// All kernels of a problem, judged or not, the newest first.
  Result<ListedPage<ListedKernel>> newest(const std::string& problem_id, const std::string& mark,
                                          int most);

  /// The kernels that have these words, judged or not, the best first; see search.h.
  Result<std::vector<ListedKernel>> search(const std::string& query, int most);

  /// How a kernel stands on each device.
  Result<std::vector<ListedStanding>> standings(const std::string& kernel_id);

  /// Its relatives, up to `most`; see kernel_family.h. @errors kNotFound, too.
  Result<KernelFamily> family(const std::string& kernel_id, std::size_t most);

  /// All evidence of a kernel but PTX, the newest first, without `json`.
  Result<ListedPage<EvidenceRow>> evidence_of(const std::string& kernel_id, const std::string& mark,
                                              int most);

  /// The newest evidence of that kind, whatever the device; nothing: there is none.
  Result<std::optional<EvidenceRow>> latest(const std::string& kernel_id, const std::string& kind);

  /// @errors as Archive's methods of that name.
  Result<ProblemRow> problem(const std::string& id);
  Result<KernelRow> kernel(const std::string& id_or_ref);
  Result<EvidenceRow> evidence(const std::string& id);
  Result<JobRow> job(const std::string& id);
  Result<std::vector<LabelRow>> labels(const std::string& kernel_id, int most);

 private:
  explicit ArchiveListing(std::unique_ptr<SharedConnection> connection);

  std::unique_ptr<SharedConnection> connection_;
};

}  // namespace ws
