#include "tools/tune/scope.h"

#include "runtime/evaluate/measure/measurement.h"
#include "runtime/tune/space.h"
#include "tools/answer/subject_form.h"

namespace ws {

Result<TuneScope> tune_scope(const Subject& subject, const Json& asked_form, bool emulated,
                             std::uint64_t seed) {
  TuneScope scope;
  WS_TRY(std::vector<Workload> asked,
         requested_workloads(subject.problem, {{"workloads", asked_form}}));
  if (asked.empty()) {
    WS_TRY(asked, expand_workloads(subject.problem));
  }
  Params params = subject.kernel.defaults;
  Result<Coverage> coverage = cover(subject.problem, subject.kernel, asked, params);
  scope.covered = coverage ? coverage->run : asked;
  if (!coverage) {
    WS_TRY(tune::Space space, tune::kernel_space(subject.problem, subject.kernel, asked));
    tune::Random random(seed);
    const std::optional<tune::Point> point = space.draw(random);
    WS_CHECK(space.status());
    if (!point) {
      return fail(ErrorCode::kInvalidArgument,
                  "none of " + std::to_string(tune::kMaxDraws) +
                      " points drawn from the search space meets the constraints",
                  "weaken a constraint, or list fewer values that break it");
    }
    params = space.params(*point);
  }
  WS_TRY(const std::vector<TimedWorkload> timed,
         timed_workloads(subject, scope.covered, params, emulated));
  for (const TimedWorkload& row : timed) {
    scope.timed.push_back(row.workload);
  }
  return scope;
}

}  // namespace ws
