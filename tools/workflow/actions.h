// The actions of the tool workflow: one function and one result struct each, and their forms.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "runtime/handover/handover.h"
#include "runtime/lineage/workflow_export.h"
#include "runtime/lineage/workflow_line.h"
#include "runtime/search/text_diff.h"
#include "runtime/session/services.h"
#include "tools/answer/typed_job.h"

namespace ws {

/// The request of every action.
struct WorkflowRequest {
  std::string ref;   ///< A kernel: id, or name@branch.
  std::string name;  ///< A ref.
  std::string a;
  std::string b;
  std::string device_id;   ///< "cpu:0"
  std::string device_key;  ///< The key of its evidence.
  bool full = false;
  std::optional<HandoverForm> as;  ///< export: files for another program, no report.
  bool allow_unverified = false;   ///< export with `as`: also without a passed validation.
};

/// A kernel that a name was put to, or that is to be gone back to.
struct NamedKernel {
  std::string kernel_id;
  std::string summary;
};

Answer answer_of(const NamedKernel& named);

/// @errors kNotFound; those of LineStore::add_ref.
Result<NamedKernel> make_branch(Services& services, LineStore& lines,
                                const WorkflowRequest& request);
/// @errors kNotFound; those of LineStore::add_ref.
Result<NamedKernel> make_checkpoint(Services& services, LineStore& lines,
                                    const WorkflowRequest& request);
/// Moves a branch; where none is named it only says what would be gone back to.
/// @errors kNotFound; those of Archive::set_ref.
Result<NamedKernel> restore(Services& services, const WorkflowRequest& request);

struct NameList {
  std::vector<RefRow> names;  ///< The newest first.
};

Answer answer_of(const NameList& list);

Result<NameList> list_names(LineStore& lines);

/// Decides which rows are shown where there is no room for all.
enum class TreeWeight : std::uint8_t { kTimed, kOnLine, kBeside };

struct TreeRow {
  std::string kernel_id;
  std::size_t depth = 0;
  std::string made_by;  ///< As LineKernel::made_by, or the pass that made it in vain.
  std::string parent;   ///< Empty for the first.
  LineSpeed speed;
  std::optional<Verdict> verdict;     ///< The speed's, or the failed pass's.
  std::vector<std::string> names;     ///< Those that point at it.
  std::vector<PassStatistic> failed;  ///< Tries that began at it.
  TreeWeight weight = TreeWeight::kBeside;
};

/// The tree that a kernel stands in, from its first ancestor on.
struct KernelTree {
  std::string kernel_id;
  std::string first_id;
  std::string own_first_id{};  ///< The first one of the kernel's own problem.
  std::string device_id;
  std::size_t steps = 0;        ///< From the first kernel to this one.
  std::size_t timed = 0;        ///< Kernels of that line that have a speed-up.
  std::optional<double> total;  ///< The speed-up of this one against the first.
  std::vector<TreeRow> rows;    ///< Each before what was made of it.
  bool more = false;            ///< There are kernels that were not looked at.
  bool full = false;            ///< detail: full
};

Answer answer_of(const KernelTree& tree);

/// @errors kNotFound.
Result<KernelTree> kernel_tree(Services& services, LineStore& lines,
                               const WorkflowRequest& request);

/// A field of the plan that two kernels have otherwise.
struct PlanDiff {
  std::string field;
  Json a;  ///< As it is shown, short; or "(none)".
  Json b;
};

/// The compiler's figures for one entry.
struct EntryFacts {
  std::string entry;
  std::optional<std::int64_t> registers;
  std::optional<std::int64_t> shared_bytes;
  std::optional<std::int64_t> local_bytes;
};

/// The newest evidence about a kernel on a device.
struct KernelFacts {
  std::optional<Verdict> compile;
  std::vector<EntryFacts> entries;  ///< The first few.
  std::optional<Verdict> validate;
  LineSpeed speed;
};

/// The differences between two kernels.
struct KernelComparison {
  std::string a;
  std::string b;
  std::string device_id;
  TextDiff source;
  TextDiff macros;
  std::vector<PlanDiff> plan;
  KernelFacts facts_a;
  KernelFacts facts_b;
  bool full = false;  ///< detail: full
};

Answer answer_of(const KernelComparison& comparison);

/// @errors kNotFound; kInvalidArgument: they solve different problems.
Result<KernelComparison> compare_kernels(Services& services, LineStore& lines,
                                         const WorkflowRequest& request);

/// The line that leads to a kernel, to be taken elsewhere.
struct ExportedLine {
  std::string kernel_id;
  std::string first_id;
  std::string device_id;
  std::size_t steps = 0;
  std::string report;              ///< The table; with detail full all of it.
  std::optional<Workflow> script;  ///< With detail full.
};

Answer answer_of(const ExportedLine& line);

/// @errors kNotFound; kUnsupported: a kernel of it is no edit of its parent.
Result<ExportedLine> export_workflow(Services& services, LineStore& lines,
                                     const WorkflowRequest& request);

/// A kernel as files of another program.
struct HandedOver {
  std::string kernel_id;
  HandoverForm form = HandoverForm::kCuda;
  std::string evidence_id;  ///< Empty: nobody validated it.
  bool passed = false;
  std::vector<HandoverFile> files;
};

Answer answer_of(const HandedOver& handed);

/// @param request  With `as`.
/// @errors kNotFound; kConflict: it has no passed validation; kUnsupported: the form cannot have
///         it, and why; kCancelled.
Result<HandedOver> hand_over_kernel(Services& services, const WorkflowRequest& request,
                                    const std::stop_token& stop);

}  // namespace ws
