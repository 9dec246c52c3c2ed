#include "tools/tune/finals.h"

#include <algorithm>
#include <utility>

#include "runtime/base/hash.h"
#include "runtime/base/units.h"
#include "tools/answer/subject_form.h"
#include "tools/evidence/known_validation.h"

namespace ws {
namespace {

constexpr double kLeastComparisonMs = 100;
constexpr double kMostComparisonMs = 3000;

class Finals {
 public:
  Finals(Services& services, Device& device, const FinalsRequest& request,
         const CallContext& context)
      : services_(services),
        device_(device),
        request_(request),
        context_(context) {}

  Result<FinalsResult> run() {
    WS_TRY(const DeviceInfo info, device_.backend->info());
    l2_bytes_ = info.l2_bytes;
    WS_TRY(result_.noise_floor, services_.noise_floors->get(*device_.backend, context_.stop));
    WS_TRY(ceilings_, services_.ceilings->get(*device_.backend, context_.stop));
    // One more comparison than finalists: the winner's against the defaults.
    const double comparisons = static_cast<double>(request_.finalists.size());
    duel_ms_ = std::clamp(request_.budget_s * kMsPerS / std::max(comparisons, 1.0),
                          kLeastComparisonMs, kMostComparisonMs);
    std::vector<Params> left = request_.finalists;
    while (!left.empty() && !result_.winner) {
      WS_CHECK(choose_among(left));
    }
    if (result_.winner) {
      WS_CHECK(duel_with_defaults());
    }
    WS_CHECK(check_sample());
    return std::move(result_);
  }

 private:
  /// False: it is not right, and among the rejected.
  Result<bool> is_right(const Params& params, const std::string& level,
                        std::optional<StoredValidation>* whole) {
    WS_TRY(const PointVerdict said,
           validate_point(services_, device_, request_.target, request_.asked_workloads, params,
                          level, whole, context_));
    if (said.verdict != Verdict::kPassed) {
      result_.rejected.push_back({params, said.verdict, said.message});
    }
    return said.verdict == Verdict::kPassed;
  }

  /// Sets the winner, or takes those that are not right out of `left`.
  Status choose_among(std::vector<Params>& left) {
    std::optional<Params> champion;
    result_.ties.clear();
    for (auto at = left.begin(); at != left.end();) {
      WS_TRY(const bool right, is_right(*at, "quick", nullptr));
      if (!right) {
        at = left.erase(at);
        continue;
      }
      if (!champion) {
        champion = *at;
      } else {
        WS_CHECK(challenge(*at, *champion));
      }
      ++at;
    }
    if (!champion) {
      return {};
    }
    context_.report(kWinnerShare, "validating the winner");
    WS_TRY(const bool right, is_right(*champion, "standard", &result_.validation));
    if (right) {
      result_.winner = std::move(champion);
    } else {
      left.erase(std::find(left.begin(), left.end(), *champion));
    }
    return {};
  }

  /// The challenger takes the champion's place, ties with it, or goes.
  Status challenge(const Params& challenger, Params& champion) {
    WS_TRY(const Measurement measured, paired(challenger, champion));
    if (measured.verdict == Verdict::kSuspect) {
      result_.rejected.push_back({challenger, measured.verdict, measured.message});
    } else if (measured.verdict == Verdict::kFaster) {
      champion = challenger;
      result_.ties.clear();
    } else if (measured.verdict != Verdict::kSlower) {
      result_.ties.push_back({challenger, measured.verdict, measured.ratio, measured.ratio_ci});
    }
    return {};
  }

  Result<Measurement> paired(const Params& params, const Params& against) {
    BenchmarkRequest request;
    request.workloads = request_.target.timed;
    request.params = params;
    request.baseline.kernel = request_.target.subject.kernel;
    request.baseline.kernel.defaults = against;
    request.baseline.id = request.baseline.kernel.id;
    request.time_budget_ms = duel_ms_;
    request.secret = random_u64();
    request.noise_floor = result_.noise_floor;
    request.ceilings = ceilings_;
    request.l2_bytes = l2_bytes_;
    return measure_kernel(*device_.backend, request_.target.subject, request,
                          {context_.request_id, context_.stop, {}});
  }

  Status duel_with_defaults() {
    const Params& defaults = request_.target.subject.kernel.defaults;
    if (*result_.winner == defaults) {
      result_.verdict = Verdict::kUnchanged;
      return {};
    }
    WS_TRY(const PointVerdict said,
           validate_point(services_, device_, request_.target, request_.asked_workloads, defaults,
                          "quick", nullptr, context_));
    if (said.verdict != Verdict::kPassed) {
      result_.verdict = Verdict::kNoBaseline;
      result_.message = "the defaults: " + verdict_text(said.verdict, said.message);
      return {};
    }
    context_.report(kDuelShare, "the winner against the defaults");
    WS_TRY(Measurement measured, paired(*result_.winner, defaults));
    result_.verdict = measured.verdict;
    result_.message = measured.message;
    result_.noise_floor.ratio = std::max(result_.noise_floor.ratio, measured.noise_floor);
    if (measured.verdict == Verdict::kSuspect) {
      return {};
    }
    result_.workloads = std::move(measured.workloads);
    result_.ratio = measured.ratio;
    result_.ratio_ci = measured.ratio_ci;
    if (measured.verdict == Verdict::kSlower) {  // The search was lucky with it.
      result_.winner = defaults;
      result_.verdict = Verdict::kUnchanged;
      result_.ratio = 1;
      result_.ratio_ci = {1, 1};
      result_.ties.clear();
      WS_TRY(const bool right, is_right(defaults, "standard", &result_.validation));
      if (!right) {
        result_.winner.reset();
      }
    }
    return {};
  }

  Status check_sample() {
    for (const Params& params : request_.sample) {
      WS_TRY([[maybe_unused]] const bool right, is_right(params, "quick", nullptr));
      ++result_.sample_checked;
    }
    return {};
  }

  static constexpr double kWinnerShare = 0.6;
  static constexpr double kDuelShare = 0.8;

  Services& services_;
  Device& device_;
  const FinalsRequest& request_;
  const CallContext& context_;
  Ceilings ceilings_;
  std::uint64_t l2_bytes_ = 0;
  double duel_ms_ = kLeastComparisonMs;
  FinalsResult result_;
};

}  // namespace

Result<PointVerdict> validate_point(Services& services, Device& device, const TuneTarget& target,
                                    const Json& asked_workloads, const Params& params,
                                    const std::string& level,
                                    std::optional<StoredValidation>* whole,
                                    const CallContext& context) {
  WS_TRY(const auto known, known_validation(services, device, target.subject, to_json(params)));
  if (known && known->verdict != Verdict::kPassed) {
    const StoredValidation earlier = validation_of(*known);
    return PointVerdict{known->verdict, earlier.result.message};
  }
  // The listed sizes, and those that are tuned for.
  std::vector<Json> sizes = {Json::array()};
  if (!asked_workloads.empty()) {
    sizes.push_back(asked_workloads);
  }
  PointVerdict said;
  for (const Json& workloads : sizes) {
    const ValidationQuestion question{.level = level,
                                      .workloads = workloads,
                                      .params = to_json(params),
                                      .param_samples = 0,
                                      .repeat = {}};
    // Its own progress is not the tuning's.
    const CallContext quiet = context.part();
    Result<StoredValidation> found =
        validate_stored(services, device, target.subject, question, CommonParams(), quiet);
    if (!found && found.error().code == ErrorCode::kInvalidArgument) {
      said = {Verdict::kInvalidArgument, found.error().message};
      continue;  // The constraints allow none of the listed sizes: those that are asked for count.
    }
    WS_TRY(StoredValidation stored, std::move(found));
    said = {stored.result.verdict, stored.result.message};
    if (whole != nullptr) {
      *whole = std::move(stored);
    }
    if (said.verdict != Verdict::kPassed) {
      return said;
    }
  }
  return said;
}

Result<FinalsResult> run_finals(Services& services, Device& device, const FinalsRequest& request,
                                const CallContext& context) {
  return Finals(services, device, request, context).run();
}

}  // namespace ws
