// tune: which values of a kernel's params are the fastest?
#pragma once

#include "tools/tune/answer.h"

namespace ws {

class TuneTool : public TypedJobTool<TuneParams, StoredTuning> {
 public:
  explicit TuneTool(Services& services);

 protected:
  Result<ToolJob<StoredTuning>> job_of(Services& services, const TuneParams& params,
                                       const std::stop_token& stop) override;
};

}  // namespace ws
