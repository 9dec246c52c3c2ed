// The store: problems, kernels, refs, evidence, jobs and settings in one SQLite file,
// or in a PostgreSQL database.
//
// Problems and kernels are immutable and named by their content; evidence is appended; refs and
// jobs change. What a call has acknowledged survives kill -9, and nothing half-written is ever
// seen. Two processes may share a folder. JSON is kept as text: nothing here looks into it.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "runtime/archive/search/search.h"
#include "runtime/archive/store/archive_place.h"
#include "runtime/base/result.h"
#include "runtime/base/verdict.h"

namespace ws {

struct ProblemRow {
  std::string id;
  std::string name;
  std::string json;        ///< Problem::json.
  std::string created_at;  ///< Set by the archive.
};

struct KernelRow {
  std::string id;
  std::string name;
  std::string problem_id;
  std::string parent;  ///< Kernel id; empty for a root.
  std::string json;    ///< Kernel::json.
  std::string created_at;
};

struct EvidenceRow {
  std::string id;  ///< evd_<32 hex>, set by the archive when empty.
  std::string kernel_id;
  std::string problem_id;
  std::string device;  ///< "cpu:0".
  std::string kind;    ///< compile, validate, benchmark, profile or tune.
  std::string key;     ///< The rest that the result depends on (level, workloads, params,
                    ///< program version), as the tool writes it: equal keys are the same question.
  Verdict verdict = Verdict::kSuspect;  ///< A word that this version does not know is kSuspect.
  std::string json;  ///< The whole record: workloads, params, numbers, seed, device, version.
  std::string created_at;
  std::int64_t created_ms = 0;  ///< Milliseconds since the epoch, set by the archive.
};

/// A name or remark that people and agents give a kernel. Search finds the kernel by its words.
struct LabelRow {
  std::string kernel_id;
  std::string kind;  ///< "note", "tag" or "ref".
  std::string text;  ///< A tag has up to 64 characters of a-z 0-9 _ . -; a note up to 2000 bytes.
  bool imported = false;  ///< It came by an import: nobody knows who wrote it.
};

/// Evidence that came by an import. It never counts as evidence: who wrote it is unknown.
struct ClaimRow {
  std::string id;  ///< evd_<32 hex>: as where it was measured, or computed from its content.
  std::string kernel_id;
  std::string json;  ///< The whole line of the import.
};

/// One row of an import.
struct ArchiveItem {
  enum class Kind : std::uint8_t { kProblem, kKernel, kClaim, kLabel, kRef };
  Kind kind = Kind::kProblem;
  std::uint64_t line = 0;  ///< Where it stood.
  ProblemRow problem;
  KernelRow kernel;
  ClaimRow claim;
  LabelRow label;  ///< Also of kRef: the kernel, and the ref's name as the text.
  /// The principals that it belongs to, and whether they share it; none: it is everybody's. Not of
  /// kClaim.
  std::map<std::string, bool> owners{};
};

struct PutOutcome {
  bool added = false;          ///< False: it was there already.
  std::optional<Error> error;  ///< Why it could not be stored.
};

/// The limits beyond which rows may be deleted.
struct GarbageRules {
  int days = 30;  ///< Younger kernels and younger evidence stay.
  /// The bytes that may be in use in the file. Beyond them kernels that are younger go too, the
  /// oldest first, but none of the last day, or of the last `days` where those are fewer. 0: no
  /// limit.
  std::uint64_t max_bytes = 0;
  std::string owner{};  ///< Only what belongs to this principal alone; empty: all.
};

/// The rows that were deleted or could be.
struct GarbageReport {
  std::uint64_t kernels = 0;
  std::uint64_t evidence = 0;
  std::uint64_t problems = 0;
  std::uint64_t bytes = 0;       ///< About so many are free in the file then, for new rows.
  std::vector<std::string> ids;  ///< The first hundred kernels.
};

/// The result of sharing a row.
struct Sharing {
  std::string id;          ///< The row's whole id.
  std::uint64_t rows = 0;  ///< It and others that changed with it.
};

/// The mistakes in what is stored.
struct ArchiveCheck {
  std::uint64_t problems = 0;
  std::uint64_t kernels = 0;
  std::uint64_t evidence = 0;
  std::uint64_t claims = 0;
  std::uint64_t damaged = 0;          ///< Rows.
  std::uint64_t misindexed = 0;       ///< Entries of the search index that were wrong.
  std::vector<std::string> findings;  ///< The first twenty of each: "krn_...: ...".
};

struct JobRow {
  std::string id;  ///< job_<32 hex>, chosen by the queue.
  std::string tool;
  std::string status;  ///< queued, running, done, cancelled or failed.
  std::string json;    ///< Arguments, then the tool's output or error.
  std::string created_at;
  std::int64_t updated_ms = 0;  ///< Milliseconds since the epoch; set by the archive when 0.
  // Set when it is added, and by claim_job.
  std::string instance{};    ///< The server that has it: instance.h.
  std::string arguments{};   ///< The arguments of its tool, to call it again; empty: it cannot be
                             ///< called again.
  std::int64_t resumed = 0;  ///< How often another server took it over.
  std::string client{};      ///< put_job() notes that this client knows its id; empty: no one new.
  // Set by job().
  std::string owner{};  ///< The principal that it works for; empty: nobody in particular.
  bool shared = true;   ///< Other principals see it.
};

/// A job in the list of a client that knows its id.
struct ClientJob {
  std::int64_t number = 0;  ///< Higher than those of jobs that the client knew before.
  JobRow row;               ///< Without `json` and `arguments`.
  std::string summary;      ///< The summary or the error that it ended with; empty: it has not.
};

/// One try at a pass of a transformation, right or wrong.
struct PassTry {
  std::string transformation;
  std::int64_t pass = 1;    ///< From 1.
  std::int64_t passes = 1;  ///< How many the transformation had.
  std::string base_id;      ///< The kernel that was to be changed.
  std::string kernel_id;    ///< The kernel that came of it; empty where there was none to judge.
  Verdict verdict = Verdict::kSuspect;  ///< kPassed, kSkipped, or the verdict that ended it.
  std::string reason;                   ///< Why not passed; empty else.
  std::int64_t attempt =
      1;  ///< The number of the try of this pass on this base, from 1; set by the archive.
};

/// How tries at one pass ended.
struct PassStatistic {
  std::string transformation;
  std::int64_t pass = 1;
  Verdict verdict = Verdict::kSuspect;
  std::int64_t tries = 0;
  std::string reason;  ///< The reason of the newest one.
};

/// Finished jobs are forgotten after this long.
inline constexpr std::int64_t kJobKeptMs = std::int64_t{24} * 60 * 60 * 1000;
/// Others too, when nobody asked for them any more.
inline constexpr std::int64_t kUnfinishedKeptMs = 7 * kJobKeptMs;

/// Each row that a viewer with a name (viewer.h) stores belongs to it. A row that the viewer of the
/// calling thread does not see is to all methods as if it were not there, but for those that keep
/// the archive: export_lines(), collect_garbage(), check(), claim_job() and prune_jobs().
/// All methods: any thread. @errors of all of them: kIo when the file cannot be read or written.
class Archive {
 public:
  /// Opens (or makes) archive.db in the folder, or the tables in the database of a store, and
  /// brings the tables up to date.
  /// A file of up to 8 MiB is checked for damage first; damage in a larger one shows when read.
  /// @errors kIo: the folder cannot be made or written, the file is no database, is damaged, or was
  ///         written by a newer program. Nothing is changed then. Of a store: as open_postgres().
  static Result<std::unique_ptr<Archive>> open(const ArchivePlace& place);

  ~Archive();
  Archive(const Archive&) = delete;
  Archive& operator=(const Archive&) = delete;

  /// Stores a row; one that is there stays as it is. @errors kConflict: it has another content.
  Status put_problem(const ProblemRow& problem);
  /// @param id  Or the beginning of one (store.h: find_id). @errors kInvalidArgument, kNotFound.
  Result<ProblemRow> problem(const std::string& id);

  /// As put_problem; a parent is kept from the first time. @errors kNotFound: the problem or the
  /// parent is not stored.
  Status put_kernel(const KernelRow& kernel);
  Result<bool> has_kernel(const std::string& id);
  /// @param id_or_ref  "krn_...", as problem() takes it, or "name@branch". @errors as there.
  Result<KernelRow> kernel(const std::string& id_or_ref);
  /// Oldest first.
  Result<std::vector<KernelRow>> children(const std::string& kernel_id);
  /// Follows parents to the end; a kernel without a parent is its own root. @errors kNotFound.
  Result<KernelRow> root(const std::string& kernel_id);

  /// Points `ref` at a kernel.
  /// @param expect  When given, the kernel that the ref must point at now ("" = must not exist).
  /// @errors kInvalidArgument: not name@branch; kNotFound: unknown kernel; kConflict: the ref does
  ///         not point at `expect` (says where it does).
  Status set_ref(const std::string& ref, const std::string& kernel_id,
                 const std::optional<std::string>& expect = std::nullopt);
  /// The kernel id. @errors kNotFound.
  Result<std::string> ref(const std::string& ref);

  /// Appends; returns the id. @errors kNotFound: the kernel is not stored.
  Result<std::string> add_evidence(const EvidenceRow& evidence);
  /// @errors kNotFound.
  Result<EvidenceRow> evidence(const std::string& id);
  /// The newest one of a kernel on a device; an empty `device` or `key`, or no `verdict`, means
  /// any.
  Result<std::optional<EvidenceRow>> latest_evidence(const std::string& kernel_id,
                                                     const std::string& device,
                                                     const std::string& kind,
                                                     const std::string& key = {},
                                                     std::optional<Verdict> verdict = {});

  /// The newest benchmark of any kernel of a problem whose baseline was the problem's reference.
  Result<std::optional<EvidenceRow>> reference_benchmark(const std::string& problem_id);

  /// Appends; returns the attempt. @errors kNotFound: the base is not stored.
  Result<std::int64_t> add_pass_try(const PassTry& row);
  /// The passes that made a kernel what it is: of its ancestors, then its own, each the newest one
  /// that passed. A kernel that came about in other ways has none of its own.
  Result<std::vector<PassTry>> pass_history(const std::string& kernel_id);
  /// Statistics of one transformation, or of all when it is empty, by transformation, pass and
  /// verdict.
  Result<std::vector<PassStatistic>> pass_statistics(const std::string& transformation);

  /// A label that is there already stays as it is. @errors kInvalidArgument: what a tag or note
  /// cannot be; kNotFound: the kernel is not stored.
  Status put_label(const LabelRow& label);
  /// The newest ones, the newest first.
  Result<std::vector<LabelRow>> labels(const std::string& kernel_id, std::size_t most);

  /// Keeps an imported record; one that is there stays as it is. @errors kNotFound: no such kernel.
  Status add_claim(const ClaimRow& claim);

  /// Stores what the kernel's lifted program computes, in place of what was there: search by code
  /// finds others that compute the same. @errors kNotFound: no such kernel.
  Status set_operations(const std::string& kernel_id, const OperationCounts& counts);

  /// Kernels that fit, best first; the time grows with how many kernels fit and were never judged.
  /// @errors kNotFound: the request's problem is not stored.
  Result<SearchResult> search(const SearchRequest& request);

  /// Stores rows in one transaction; one that cannot be stored does not hinder the others. A ref
  /// that is there is not moved, and evidence that was measured here gets no claim.
  Result<std::vector<PutOutcome>> put_all(const std::vector<ArchiveItem>& items);

  /// Everything but jobs and settings as JSON lines, each row after those that it needs.
  /// @param sink  Takes a line without its end; an error ends the export with it.
  Status export_lines(const std::function<Status(std::string_view line)>& sink);

  /// Finds old kernels, with all their evidence, except those that a label, ref, claim, try at a
  /// pass, unfinished job, kept child or kept benchmark (as its baseline) names, and those that are
  /// the fastest, the last that passed or the last that failed of their problem on a device. Finds
  /// old evidence of kernels that stay, except the newest eight for each device, kind, question and
  /// verdict; and problems without kernels.
  /// @param remove  Also deletes them, some thousand in a transaction; else nothing is written.
  Result<GarbageReport> collect_garbage(const GarbageRules& rules, bool remove);

  /// Reads every row that is there when it begins, and works its id out again; then compares the
  /// search index with the rows, and rebuilds one that is wrong. Both go in pieces, so that
  /// others write in between; until the last piece, searches miss kernels whose turn has not come.
  Result<ArchiveCheck> check();

  /// Ids of up to `count` kernels that passed on the device, drawn at random.
  Result<std::vector<std::string>> sample_passed(const std::string& device, int count);

  /// Lets others see a row, or only its owners: a problem, a piece of evidence, a job, or a kernel
  /// with its evidence and labels. A kernel's problem becomes visible with it, and stays so.
  /// @param name  An id, or the beginning of that of a problem or kernel.
  /// @errors kNotFound; kInvalidArgument: no such id; kUnsupported: nobody owns it.
  Result<Sharing> share(const std::string& name, bool shared);

  /// Adds a job, or replaces status and json of a known one; one that has ended stays as it is.
  Status put_job(const JobRow& job);
  /// @errors kNotFound: unknown, or finished more than 24 h ago.
  Result<JobRow> job(const std::string& id);
  /// The jobs whose ids a client was told, the newest first.
  /// @param before  Only those with lower numbers; 0: from the newest.
  Result<std::vector<ClientJob>> jobs_of(const std::string& client, std::int64_t before, int most);
  /// Gives an unfinished job to `instance`, when `row` is still how it stands.
  /// @return False: another server was faster.
  Result<bool> claim_job(const JobRow& row, const std::string& instance);
  /// Removes finished jobs older than kJobKeptMs, others after kUnfinishedKeptMs. @return how many.
  Result<int> prune_jobs();

  /// A value kept between runs, such as a device's noise floor.
  Status set_setting(const std::string& key, const std::string& value);
  Result<std::optional<std::string>> setting(const std::string& key);

 private:
  class Impl;
  explicit Archive(std::unique_ptr<Impl> impl);
  static Result<std::unique_ptr<Archive>> open_file(const std::filesystem::path& folder);
  static Result<std::unique_ptr<Archive>> open_store(const std::string& url);
  std::unique_ptr<Impl> impl_;
};

}  // namespace ws
