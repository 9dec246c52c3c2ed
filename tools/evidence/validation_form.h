// A validation's JSON form: what the tools answer, what evidence stores, and what is read back.
#pragma once

#include "runtime/evaluate/validate/validation.h"
#include "tools/tool.h"

namespace ws {

/// Leaves out the runs between the first few and the last one, which decided.
void shorten_runs(ValidationResult& result);

/// {verdict, kernel_id, message, runs, runs_total, worst, mismatch, fault, findings, diagnostics,
/// coverage, reference, emulated, evidence_id, age_s, repeated}. Fields that do not apply are left
/// out, and evidence_id where there is none yet.
void to_json(Json& form, const StoredValidation& validation);

/// {shape, rows, columns, levels, largest, outline: [[first row, last row, first column, last
/// column]]}: as MismatchCells. Evidence has it beside the answer, for people; null where there is
/// none.
Json mismatch_map_form(const ValidationResult& result);

/// Reads that form. Throws nlohmann's exception if the form is another one.
void from_json(const Json& form, StoredValidation& validation);

}  // namespace ws
