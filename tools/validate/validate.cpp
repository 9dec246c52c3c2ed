#include "tools/validate/validate.h"

#include "tools/validate/validate_schema.h"

namespace ws {

ValidateTool::ValidateTool(Services& services)
    : TypedJobTool(validate_schema(), services) {}

Result<ToolJob<ShownValidation>> ValidateTool::job_of(Services& services,
                                                      const ValidateParams& params,
                                                      const std::stop_token& /*stop*/) {
  return validation_job(services, params);
}

}  // namespace ws
