// Exports a line of kernels: as a script that `warpsmith replay` runs, and as a report for people.
#pragma once

#include <string>
#include <vector>

#include "runtime/lineage/workflow_line.h"
#include "runtime/lineage/workflow_script.h"
#include "runtime/skills/skill_library.h"

namespace ws {

/// The steps that make the last kernel of the first one, each with the fewest line edits.
///
/// @param skills  What a pass of a transformation adds by itself is left out of its step.
/// @errors kNotFound; kUnsupported: a kernel of the line is no edit of its parent.
Result<Workflow> workflow_of(Archive& archive, const std::vector<LineKernel>& line,
                             const SkillLibrary& skills);

/// Markdown: what each step gained on one device as a table.
std::string report_table(const std::vector<LineKernel>& line, const std::string& device);

/// The same, with the chart as SVG and with each step's diff.
std::string whole_report(const std::vector<LineKernel>& line, const std::string& device);

}  // namespace ws
