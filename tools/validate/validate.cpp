#include "tools/validate/validate.h"

#include "tools/validate/validate_schema.h"

namespace ws {

ValidateTool::ValidateTool(Services& services)
    : TypedJobTool(validate_schema(), services) {}

Result<ToolJob<ShownValidation>> ValidateTool::job_of(Services& services,
                                                      const ValidateParams& params,
                                                      const std::stop_token& /*stop*/) {
  WS_TRY(ToolJob<StoredValidation> job, validation_job(services, params));
  WS_TRY(const Subject subject, load_subject(*services.archive, params.kernel_id));
  ToolJob<ShownValidation> own{.start = std::move(job.start), .work = {}, .known = {}};
  own.work = [work = std::move(job.work),
              subject](CallContext& context) -> Result<ShownValidation> {
    WS_TRY(StoredValidation validation, work(context));
    return shown(subject, std::move(validation));
  };
  return own;
}

}  // namespace ws
