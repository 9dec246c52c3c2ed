// Work of a tool as a job with a typed result, which another tool can wait for as well.
#pragma once

#include <functional>
#include <optional>
#include <stop_token>
#include <string>
#include <utility>
#include <vector>

#include "tools/answer/envelope.h"
#include "tools/job_book.h"
#include "tools/typed_tool.h"

namespace ws {

/// The answer that shows a result to a client.
struct Answer {
  std::string summary;  ///< One sentence.
  Json body;
  std::vector<Json> next_steps;
};

/// The answer with the frame that every result has.
inline Json framed(Answer answer) {
  return finished(answer.summary, std::move(answer.body), std::move(answer.next_steps));
}

/// A job whose work gives an `Output`. For an Output there is an Answer answer_of(const Output&),
/// and a from_json that reads its answer's body where another tool waits for it.
template <typename Output>
struct ToolJob {
  JobStart start;
  std::function<Result<Output>(CallContext&)> work;
  std::optional<Output> known;  ///< The output where it is known already: no job is started.
};

/// The part of the whole work's progress that one stage covers.
struct StageSpan {
  double from = 0;
  double to = 1;
};

/// Starts or joins the job and answers as run_job() does. @errors Those of run_job().
template <typename Output>
Result<Json> answer_by_job(Services& services, ToolJob<Output> job, CallContext& context) {
  if (job.known) {
    return framed(answer_of(*job.known));
  }
  return run_job(services, job.start, context,
                 [work = std::move(job.work)](CallContext& own) -> Result<Json> {
                   WS_TRY(const Output output, work(own));
                   return framed(answer_of(output));
                 });
}

/// Starts or joins the same job as one stage of `context`'s work, and waits for its end.
/// @errors What the work ended with; kBusy; kCancelled.
template <typename Output>
Result<Output> result_of_job(Services& services, ToolJob<Output> job, StageSpan span,
                             const CallContext& context) {
  context.report(span.from, job.start.tool);
  CallContext own = context.part([&context, span](const Progress& report) {
    context.report(span.from + (span.to - span.from) * report.fraction, report.message);
  });
  job.start.common.wait = kLongestWait;
  WS_TRY(const Json answer,
         wait_to_end(services, answer_by_job(services, std::move(job), own), own));
  return answer.template get<Output>();
}

/// A tool whose work is a job: a struct of parameters in, a struct of results out.
template <typename Params, typename Output>
class TypedJobTool : public Tool, public MakesJobs {
 public:
  TypedJobTool(std::string_view schema_text, Services& services)
      : spec_(parse_spec(schema_text)),
        services_(services) {}

  [[nodiscard]] const ToolSpec& spec() const final { return spec_; }

  Result<Json> call(const Json& arguments, CallContext& context) final {
    return guarded([&]() -> Result<Json> {
      if (services_.node_jobs != nullptr) {
        return answer_by_node(services_, spec_.name, arguments, context);
      }
      WS_TRY(ToolJob<Output> job, job_of(services_, arguments.get<Params>(), context.stop));
      return answer_by_job(services_, std::move(job), context);
    });
  }

 protected:
  /// Makes the job that the call asks for. Runs on any request thread and must not take long.
  virtual Result<ToolJob<Output>> job_of(Services& services, const Params& params,
                                         const std::stop_token& stop) = 0;

 private:
  ToolSpec spec_;
  Services& services_;
};

}  // namespace ws
