// The job that validates a kernel: what `validate` answers, and a stage of other tools.
#pragma once

#include <string>

#include "tools/answer/typed_job.h"
#include "tools/evidence/shown_validation.h"
#include "tools/evidence/stored_validation.h"
#include "tools/evidence/validation_form.h"

namespace ws {

/// The arguments of `validate`.
struct ValidateParams {
  CommonParams common;
  std::string kernel_id;  ///< An id or a ref.
  ValidationQuestion question;
};

void from_json(const Json& arguments, ValidateParams& params);
/// Writes what differs from the schema's defaults.
void to_json(Json& arguments, const ValidateParams& params);

/// The job runs on any device that may decide whether the kernel is correct.
/// @errors kNotFound: the device or the kernel.
Result<ToolJob<ShownValidation>> validation_job(Services& services, const ValidateParams& params);

/// Validates a kernel as one stage of `context`'s work. Equal questions share one job and one
/// answer in the archive with those that `validate` is asked.
/// @errors Those of validation_job() and result_of_job().
Result<StoredValidation> validate_kernel_stored(Services& services, const ValidateParams& params,
                                                StageSpan span, const CallContext& context);

}  // namespace ws
