// The archive's statements, each on a connection that the caller holds. Writes run inside the
// caller's transaction. archive.h documents them.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "runtime/archive/search/kernel_traits.h"
#include "runtime/archive/store/archive.h"
#include "runtime/archive/store/line_store.h"
#include "runtime/archive/store/sqlite.h"
#include "runtime/archive/store/usage.h"

namespace ws::store {

enum class Named : std::uint8_t { kProblem, kKernel };

/// The id of the row that `name` means: an id; the id of this version for a row that an older one
/// stored; or the beginning of an id, or of the hash after "krn_" or "prb_", that one row has.
/// @errors kInvalidArgument: several rows have it, or it names something of another kind;
/// kNotFound.
Result<std::string> find_id(Connection& connection, Named what, const std::string& name);

/// @errors kConflict: another content has the id.
Status put_problem(Connection& connection, const ProblemRow& problem);
/// @param name  As find_id takes it.
Result<ProblemRow> problem(Connection& connection, const std::string& name);

/// Whether it is stored. @errors as put_problem.
Result<bool> known_kernel(Connection& connection, const KernelRow& kernel);
/// @param traits  As of traits_of(kernel). @errors as put_problem; kNotFound.
Status put_kernel(Connection& connection, const KernelRow& kernel, const KernelTraits& traits);
Result<bool> has_kernel(Connection& connection, const std::string& id);
/// @errors kNotFound: it is not stored.
Status require_kernel(Connection& connection, const std::string& id);
/// @param name  As find_id takes it, or a ref.
Result<KernelRow> kernel(Connection& connection, const std::string& name);
Result<std::vector<KernelRow>> children(Connection& connection, const std::string& kernel_id);
Result<KernelRow> root(Connection& connection, const std::string& kernel_id);

/// @param imported  It came by an import.
Status set_ref(Connection& connection, const std::string& name, const std::string& kernel_id,
               const std::optional<std::string>& expect, bool imported = false);
Status add_ref(Connection& connection, const RefRow& ref);
Result<std::string> ref(Connection& connection, const std::string& name);
Result<std::vector<RefRow>> refs(Connection& connection, const std::string& kernel_id, int limit);

Result<std::string> add_evidence(Connection& connection, const EvidenceRow& evidence);
Result<EvidenceRow> evidence(Connection& connection, const std::string& id);
Result<std::optional<EvidenceRow>> latest_evidence(Connection& connection,
                                                   const std::string& kernel_id,
                                                   const std::string& device,
                                                   const std::string& kind, const std::string& key,
                                                   std::optional<Verdict> verdict);
Result<std::int64_t> passed_validations(Connection& connection, const std::string& kernel_id,
                                        const std::string& device);
Result<std::vector<EvidenceRow>> answers(Connection& connection, const std::string& kernel_id,
                                         const std::string& device, const std::string& kind);
Result<std::optional<EvidenceRow>> reference_benchmark(Connection& connection,
                                                       const std::string& problem_id);

Result<std::vector<EvidenceRow>> newest_evidence(Connection& connection,
                                                 const std::string& kernel_id,
                                                 const std::string& device, const std::string& kind,
                                                 int limit);

Result<std::int64_t> add_pass_try(Connection& connection, const PassTry& row);
Result<std::vector<PassTry>> pass_history(Connection& connection, const std::string& kernel_id);
Result<std::vector<PassStatistic>> pass_statistics(Connection& connection,
                                                   const std::string& transformation);
Result<std::vector<PassStatistic>> failed_passes(Connection& connection,
                                                 const std::string& base_id);
Result<std::optional<PassStatistic>> failure_of(Connection& connection,
                                                const std::string& kernel_id);

/// Adds a label, once; one that is there stays as it is.
Status put_label(Connection& connection, const LabelRow& label);
/// Adds labels of one kernel as put_label does, and indexes its words once.
/// @return How it went with each. @errors kIo, kBusy.
Result<std::vector<PutOutcome>> put_labels(Connection& connection,
                                           std::span<const LabelRow> labels);
Status remove_label(Connection& connection, const LabelRow& label);
Result<std::vector<LabelRow>> labels(Connection& connection, const std::string& kernel_id,
                                     std::size_t most);
Status add_claim(Connection& connection, const ClaimRow& claim);

/// @param traits  Of each item that is a kernel; empty of others.
Result<std::vector<PutOutcome>> put_all(Connection& connection,
                                        const std::vector<ArchiveItem>& items,
                                        const std::vector<KernelTraits>& traits);
Status export_lines(Connection& connection,
                    const std::function<Status(std::string_view line)>& sink);

/// The most ids that are reported.
inline constexpr std::size_t kGarbageIds = 100;

/// The rows that may go.
struct Garbage {
  std::vector<std::string> kernels;    ///< Each before its parent, the oldest first.
  std::vector<std::int64_t> evidence;  ///< Rows of kernels that stay.
  std::vector<std::string> problems;
  std::uint64_t with_kernels = 0;  ///< Evidence that goes with those kernels.
  std::uint64_t bytes = 0;         ///< About what all of it takes in the file.
  std::int64_t last_evidence = 0;  ///< The newest row when this was found, which stays.
};

/// Reads in the caller's snapshot; makes temporary tables.
Result<Garbage> find_garbage(Connection& connection, const GarbageRules& rules);

/// As ArchiveUsage::garbage_of_others(). Reads in the caller's snapshot.
Result<std::uint64_t> garbage_of_others(Connection& connection, const GarbageRules& rules);

/// The deleting of some garbage. Goes in pieces, in transactions of
/// the caller, and leaves alone what was named since it was found.
class GarbageRemoval {
 public:
  explicit GarbageRemoval(Garbage garbage)
      : garbage_(std::move(garbage)) {}

  /// The next piece. @return True: there is more.
  Result<bool> step(Connection& connection);

  /// The sums over all pieces so far; without bytes.
  [[nodiscard]] const GarbageReport& removed() const { return removed_; }

 private:
  Status remove_kernels(Connection& connection);
  Status remove_evidence(Connection& connection);
  Status remove_problems(Connection& connection);

  Garbage garbage_;
  GarbageReport removed_;
  std::size_t kernels_done_ = 0;
  std::size_t evidence_done_ = 0;
};

Result<std::vector<std::string>> sample_passed(Connection& connection, const std::string& device,
                                               int count);

Result<SearchResult> search(Connection& connection, const SearchRequest& request);

Result<Sharing> share(Connection& connection, const std::string& name, bool shared);

Status put_job(Connection& connection, const JobRow& job);
Result<JobRow> job(Connection& connection, const std::string& id);
Result<std::vector<ClientJob>> jobs_of(Connection& connection, const std::string& client,
                                       std::int64_t before, int most);
Result<bool> claim_job(Connection& connection, const JobRow& row, const std::string& instance);
Result<int> prune_jobs(Connection& connection);

Status set_setting(Connection& connection, const std::string& key, const std::string& value);
Result<std::optional<std::string>> setting(Connection& connection, const std::string& key);

}  // namespace ws::store
