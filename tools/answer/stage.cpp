#include "tools/answer/stage.h"

#include "tools/answer/envelope.h"

namespace ws {
Result<Json> run_stage(Services& services, Tool& tool, Json arguments, StageSpan span,
                       CallContext& context) {
  arguments["wait_ms"] = kLongestWait.count();
  context.report(span.from, tool.spec().name);
  CallContext own = context.part([&context, span](const Progress& report) {
    context.report(span.from + (span.to - span.from) * report.fraction, report.message);
  });
  Result<Json> output = tool.call(arguments, own);
  return wait_to_end(services, std::move(output), own);
}

Verdict stage_verdict(const Json& output) {
  return verdict_of(output["verdict"].get<std::string>()).value_or(Verdict::kSuspect);
}

Json stage_part(Json output) {
  for (const char* key :
       {"summary", "status", "next_steps", "links", "kernel_id", "problem_id", "parent"}) {
    output.erase(key);
  }
  return output;
}

}  // namespace ws
