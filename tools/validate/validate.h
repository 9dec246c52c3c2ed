// validate: is a kernel correct?
#pragma once

#include "tools/evidence/validation_job.h"

namespace ws {

class ValidateTool : public TypedJobTool<ValidateParams, ShownValidation> {
 public:
  explicit ValidateTool(Services& services);

 protected:
  Result<ToolJob<ShownValidation>> job_of(Services& services, const ValidateParams& params,
                                          const std::stop_token& stop) override;
};

}  // namespace ws
