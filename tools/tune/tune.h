// tune: which values of a kernel's params are the fastest?
#pragma once

#include "tools/tool.h"
#include "tools/tune/session.h"

namespace ws {

class TuneTool : public Tool {
 public:
  explicit TuneTool(Services& services);

  [[nodiscard]] const ToolSpec& spec() const override { return spec_; }

  Result<Json> call(const Json& arguments, CallContext& context) override;

 private:
  Result<TuneQuestion> question_of(const Json& arguments);
  Result<std::optional<Json>> answered_before(const TuneQuestion& question);
  Result<Json> run(const TuneQuestion& question, CallContext& context);

  ToolSpec spec_;
  Services& services_;
};

}  // namespace ws
