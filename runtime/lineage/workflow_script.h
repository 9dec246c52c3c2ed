// A workflow as a file: a problem, the kernel to begin with, and the steps that make it faster.
// docs/workflow.md has the form; `warpsmith replay` runs it, `workflow` with `export` writes it.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "runtime/base/result.h"

namespace ws {

using Json = nlohmann::json;

/// One recorded change: a pass of a transformation, a lowering, an edit by hand, or a search for
/// parameters.
struct WorkflowStep {
  std::vector<std::string> devices;  ///< Backends and architectures that it is for; empty: all.
  std::string transformation;        ///< Empty: an edit by hand, or a search.
  std::optional<std::int64_t> pass;  ///< From 1; nothing: the next.
  std::string target_ir;             ///< A program that the kernel is lowered to; empty: none.
  Json problem;  ///< The problem that target_ir computes; null: the one that the program computes.
  Json edits;    ///< As compile_kernel takes them; null: none.
  Json set;      ///< As compile_kernel takes it; null: none.
  Json tune;     ///< Arguments of the tool tune; null: no search.
  Json params;   ///< The result of the search: a value for each parameter.
  std::string note;  ///< Why, for people.
};

/// How kernels are timed on some devices.
struct WorkflowTiming {
  std::vector<std::string> devices;  ///< As WorkflowStep::devices.
  Json arguments;  ///< The arguments of benchmark: workloads, cache, time_budget_ms.
};

struct Workflow {
  std::string name;  ///< A name of [a-z0-9_.-]{1,64}: a ref bears it.
  std::string title;
  Json problem;
  Json kernel;
  std::vector<WorkflowTiming> timings;  ///< The first that fits a device is used.
  std::vector<WorkflowStep> steps;
};

/// Reads `path`, or `path`.json, or workflow.json in the folder `path`. A problem or a kernel that
/// is a text is the name of a file beside it.
/// @errors kIo: a file cannot be read; kInvalidArgument: what is wrong with it, and where. What the
///         tools take of problem, kernel and edits, they say when it is run.
Result<Workflow> read_workflow(const std::filesystem::path& path);

/// The form that read_workflow reads, with long texts as lists of lines.
Json to_json(const Workflow& workflow);

/// "`tb-tiling`, pass 2", "lower", "edit", "tune".
std::string step_name(const WorkflowStep& step);

/// Whether what is for `devices` is for this one. @param arch  "sm_90a", "x86-64-v4".
bool is_for(const std::vector<std::string>& devices, const std::string& backend,
            const std::string& arch);

}  // namespace ws
