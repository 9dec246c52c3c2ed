// The archive's statements, each on a connection that the caller holds. Writes run inside the
// caller's transaction. archive.h documents them.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "runtime/archive/search/kernel_traits.h"
#include "runtime/archive/store/archive.h"
#include "runtime/archive/store/line_store.h"
#include "runtime/archive/store/sqlite.h"

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

/// The rows that nothing refers to, each kernel before its parent.
struct Garbage {
  std::vector<std::string> kernels;
  std::vector<std::string> problems;  ///< Also those of which only such kernels are left.
};

/// @param days  See Archive::collect_garbage. @param most  Kernels, and problems.
Result<Garbage> find_garbage(Connection& connection, int days, std::size_t most);
/// @param problems  Also those: all of their kernels are gone then.
Status remove_garbage(Connection& connection, const Garbage& garbage, bool problems);
Result<std::vector<std::string>> sample_passed(Connection& connection, const std::string& device,
                                               int count);

Result<SearchResult> search(Connection& connection, const SearchRequest& request);

Status put_job(Connection& connection, const JobRow& job);
Result<JobRow> job(Connection& connection, const std::string& id);
Result<std::vector<ClientJob>> jobs_of(Connection& connection, const std::string& client,
                                       std::int64_t before, int most);
Result<bool> claim_job(Connection& connection, const JobRow& row, const std::string& instance);
Result<int> prune_jobs(Connection& connection);

Status set_setting(Connection& connection, const std::string& key, const std::string& value);
Result<std::optional<std::string>> setting(Connection& connection, const std::string& key);

}  // namespace ws::store
