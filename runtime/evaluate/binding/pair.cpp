#include "runtime/evaluate/binding/pair.h"

#include <algorithm>
#include <set>
#include <utility>

#include "runtime/evaluate/binding/bound_reference.h"
#include "runtime/evaluate/binding/explain.h"

namespace ws {
namespace {

/// The defaults, and a choice of values that differ from each other where they can: dimensions of
/// tiles that are exchanged show only where they are not equal.
Result<std::vector<Params>> choices_of(const Problem& problem, const Kernel& kernel) {
  Params distinct = kernel.defaults;
  std::set<std::int64_t> taken;
  for (const auto& [name, values] : kernel.params) {
    const auto other =
        std::ranges::find_if(values, [&](std::int64_t value) { return !taken.contains(value); });
    distinct[name] = other == values.end() ? distinct[name] : *other;
    taken.insert(distinct[name]);
  }
  WS_TRY(const std::vector<Workload> all, expand_workloads(problem));
  const bool allowed = distinct != kernel.defaults && cover(problem, kernel, all, distinct);
  return allowed ? std::vector{kernel.defaults, distinct} : std::vector{kernel.defaults};
}

}  // namespace

Result<VerifiedPair> verify_pair(Backend& backend, HostWorkers& hosts, PairRequest request,
                                 const CallContext& context) {
  const Kernel& other = request.against.kernel;
  const std::string name = other.name.empty() ? other.id : "`" + other.name + "`";
  ValidationRequest how;
  how.level = ValidationLevel::kStandard;
  WS_TRY(how.params, choices_of(request.subject.problem, request.subject.kernel));
  how.secret = request.seed;
  how.batch = request.batch;
  if (request.workload) {
    how.workloads = {*request.workload};
  }
  how.expected = bound_reference(backend, request.subject.problem, request.against, request.binding,
                                 "the other kernel, " + name + ",");
  VerifiedPair pair;
  WS_TRY(pair.result, validate_kernel(backend, hosts, request.subject, how, context));
  const Verdict verdict = pair.result.verdict;
  if (verdict != Verdict::kPassed && verdict != Verdict::kInvalidReference) {
    // The verdict stands without them.
    if (auto reasons = explain_pair(backend, request, pair.result, context.stop)) {
      pair.reasons = *std::move(reasons);
    }
  }
  pair.request = std::move(request);
  return pair;
}

}  // namespace ws
