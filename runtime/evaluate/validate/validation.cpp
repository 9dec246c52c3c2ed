#include "runtime/evaluate/validate/validation.h"

#include <algorithm>
#include <map>
#include <set>
#include <string>

#include "runtime/base/retry.h"
#include "runtime/evaluate/validate/arena_pair.h"
#include "runtime/evaluate/validate/pairs_ahead.h"
#include "runtime/evaluate/validate/sparse_check.h"
#include "runtime/evaluate/validate/validation_workloads.h"
#include "runtime/evaluate/validate/weigh_findings.h"
#include "runtime/kernel/language.h"

namespace ws {
namespace {

/// True when the kernel is its own judge: the problem's reference was made from the first kernel,
/// and this is that kernel.
bool judges_itself(const Subject& subject) {
  const Kernel* reference = subject.problem.reference.get();
  return reference != nullptr && !subject.problem.reference_trusted &&
         reference->source == subject.kernel.source && reference->macros == subject.kernel.macros;
}

/// A choice of parameters that the kernel refuses, or that the device has no room for.
bool is_no_point(Verdict verdict) {
  return verdict == Verdict::kUnsupported || verdict == Verdict::kResourceLimit;
}

void conclude(const Subject& subject, const ValidationRequest& request, ValidationResult& result) {
  // Two kernels are compared on the sizes that both take.
  if (result.verdict != Verdict::kPassed || request.expected) {
    return;
  }
  if (result.unsupported > 0) {
    result.verdict = Verdict::kUnsupported;
    result.message = "the kernel's constraints exclude " + std::to_string(result.unsupported) +
                     " of " + std::to_string(result.declared) + " listed workloads";
  } else if (judges_itself(subject)) {
    result.verdict = Verdict::kSuspect;
    result.finding = FindingCode::kSelfReference;
    result.message = message_of(FindingCode::kSelfReference);
  }
}

/// Nothing runs on it, so nothing can be looked at.
bool cannot_run(Verdict verdict) {
  return verdict == Verdict::kCompileError || verdict == Verdict::kTimeout || is_no_point(verdict);
}

/// A kernel that reads its clock is launched so many times more: what it does in one of 64
/// stretches of time shows in all but one of 10000 validations.
constexpr std::uint64_t kClockLaunches = 600;
constexpr std::chrono::seconds kClockTime{3};
/// The same of one that looks at addresses: one in 64 places shows in all but one of 500.
constexpr std::uint64_t kPlaceLaunches = 400;

constexpr double kWatchedShare = 0.1;
constexpr double kSanitizedShare = 0.5;

class Validator {
 public:
  Validator(Backend& backend, HostWorkers& hosts, const Subject& subject,
            const ValidationRequest& request, const CallContext& context)
      : backend_(backend),
        hosts_(hosts),
        subject_(subject),
        request_(request),
        context_(context) {}

  Result<ValidationResult> run() {
    WS_TRY(const DeviceInfo device, backend_.info());
    Sanitizes* sanitizer = nullptr;
    if (request_.level == ValidationLevel::kSanitize) {
      WS_TRY(sanitizer, sanitizer_of(backend_, device));
    } else if (device.emulated) {
      sanitizer = dynamic_cast<Sanitizes*>(&backend_);
    }
    if (sanitizer != nullptr && wants_sanitizer(device.emulated)) {
      sanitizer_share_ = device.emulated ? kWatchedShare : kSanitizedShare;
    }
    for (std::size_t i = 0; i < request_.params.size() && result_.verdict == Verdict::kPassed;
         ++i) {
      WS_CHECK(run_params(request_.params[i], device.emulated, i));
    }
    // Neither the executor of tiles nor a shader has a launch of some blocks only.
    const std::string& language = subject_.kernel.language;
    const bool some_blocks = !is_tile_language(language) && !is_shader_language(language);
    const bool sparse = device.emulated && some_blocks && !request_.expected;
    if (result_.verdict == Verdict::kPassed && sparse) {
      WS_CHECK(look_at_large_sizes(backend_, subject_, request_, context_.stop, result_));
    }
    conclude(subject_, request_, result_);
    if (sanitizer != nullptr && wants_sanitizer(device.emulated)) {
      WS_CHECK(sanitize(*sanitizer, device.emulated));
    }
    result_.runs_total = result_.runs.size();
    for (const RunRecord& run : result_.runs) {
      for (const auto& [dim, size] : run.workload.dims) {
        std::int64_t& smallest = result_.smallest.try_emplace(dim, size).first->second;
        smallest = std::min(smallest, size);
        result_.largest[dim] = std::max(result_.largest[dim], size);
      }
    }
    result_.reference_kind = subject_.problem.reference_kind;
    result_.reference_trusted = subject_.problem.reference_trusted;
    result_.emulated = device.emulated;
    return std::move(result_);
  }

 private:
  [[nodiscard]] bool wants_sanitizer(bool emulated) const {
    if (!emulated) {
      return !cannot_run(result_.verdict);
    }
    const bool looks = request_.level != ValidationLevel::kQuick || request_.races;
    return (looks && result_.verdict == Verdict::kPassed) || is_explained(result_);
  }

  Status sanitize(Sanitizes& sanitizer, bool emulated) {
    const Params& params = request_.params.front();
    WS_TRY(const ChosenWorkloads chosen, choose_workloads(subject_, params, request_, emulated));
    WS_TRY(result_.sanitized,
           sanitize_kernel(backend_, sanitizer, subject_,
                           workloads_to_sanitize(chosen, sanitizer.build() == Build::kWatched),
                           params, request_.secret, context_.part([this](const Progress& progress) {
                             context_.report(1 - sanitizer_share_ * (1 - progress.fraction),
                                             progress.message);
                           })));
    weigh_findings(result_);
    return {};
  }

  Status run_params(const Params& params, bool emulated, std::size_t choice) {
    WS_TRY(const ChosenWorkloads chosen, choose_workloads(subject_, params, request_, emulated));
    result_.declared = chosen.declared;
    result_.unsupported = std::max(result_.unsupported, chosen.unsupported);
    result_.hidden_skipped += chosen.hidden_skipped;
    const ValidationPlan plan =
        plan_validation(request_.level, chosen.candidates, takes_mixtures(subject_.problem),
                        takes_large(subject_.problem), takes_ties(subject_.problem));
    const std::vector<std::size_t> workloads = workloads_of(plan);
    PairsAhead opening(
        workloads.size(), emulated,
        [&](std::size_t index, const std::stop_token& stop) {
          return open(chosen.candidates[workloads[index]].workload, params, stop);
        },
        context_.stop);
    std::map<std::size_t, std::unique_ptr<ArenaPair>> pairs;
    for (std::size_t i = 0; i < plan.runs.size() && result_.verdict == Verdict::kPassed; ++i) {
      const ValidationRun& run = plan.runs[i];
      const double share = (1 - sanitizer_share_) / static_cast<double>(request_.params.size());
      const double done = share * (static_cast<double>(choice) +
                                   static_cast<double>(i) / static_cast<double>(plan.runs.size()));
      std::unique_ptr<ArenaPair>& pair = pairs[run.workload];
      if (!pair) {
        context_.report(done, "compiling for workload " + std::to_string(pairs.size()) + " of " +
                                  std::to_string(workloads.size()));
        WS_TRY(ArenaPair::Opened opened, opening.next());
        if (choice > 0 && is_no_point(opened.verdict)) {
          ++result_.samples_left_out;
          return {};
        }
        if (!opened.pair) {
          result_.verdict = opened.verdict;
          result_.message = opened.message;
          result_.diagnostics = std::move(opened.diagnostics);
          return {};
        }
        pair = std::move(opened.pair);
        std::ranges::copy_if(opened.notes, std::back_inserter(result_.notes),
                             [this](FindingCode note) { return !noted(note); });
      }
      context_.report(
          done, "validating " + std::to_string(i + 1) + " of " + std::to_string(plan.runs.size()));
      WS_CHECK(run_modes(*pair, plan, i, chosen));
      const auto again =
          std::find_if(plan.runs.begin() + static_cast<std::ptrdiff_t>(i) + 1, plan.runs.end(),
                       [&](const ValidationRun& later) { return later.workload == run.workload; });
      if (again == plan.runs.end()) {
        if (run.workload == plan.runs.front().workload && pair->has_modes()) {
          WS_CHECK(run_again(*pair, plan.runs.front(), chosen));
        }
        if (i + 1 == plan.runs.size() && choice + 1 == request_.params.size()) {
          ValidationResult whole = result_;
          conclude(subject_, request_, whole);
          if (whole.verdict == Verdict::kPassed) {
            pair->mark_verified();
          }
        }
        pair.reset();  // Two workers and two arenas less.
      }
    }
    return {};
  }

  Result<ArenaPair::Opened> open(const Workload& workload, const Params& params,
                                 const std::stop_token& stop) {
    ValidationRequest request = request_;
    if (request.fresh) {
      WS_TRY(const RenderedSource text, render(subject_.kernel, workload, params));
      // A text that was compiled for this validation is fresh.
      request.fresh = compiled_.insert(text).second;
    }
    return ArenaPair::open(backend_, hosts_, subject_, workload, params, request, stop);
  }

  /// The launches of one run.
  Status run_modes(ArenaPair& pair, const ValidationPlan& plan, std::size_t index,
                   const ChosenWorkloads& chosen) {
    std::vector<RunMode> modes =
        pair.has_modes() ? launch_modes(index, plan.runs.size(), pair.launched(), orders())
                         : std::vector{RunMode{}};
    if (begins_with_zeros(plan, index)) {
      modes.push_back({.zero_memory = true});
    }
    for (std::size_t i = 0; i < modes.size() && result_.verdict == Verdict::kPassed; ++i) {
      WS_CHECK(run_mode(pair, plan.runs[index], modes[i], chosen));
    }
    return {};
  }

  /// One run again and again, each time from another start of the kernel's clock and with its
  /// memory at another place, if the kernel looks at one of them.
  Status run_again(ArenaPair& pair, const ValidationRun& run, const ChosenWorkloads& chosen) {
    const bool clock = noted(FindingCode::kReadsClock);
    const std::uint64_t launches = clock                                   ? kClockLaunches
                                   : noted(FindingCode::kLooksAtAddresses) ? kPlaceLaunches
                                                                           : 0;
    const auto start = Clock::now();
    for (std::uint64_t turn = 1; turn <= launches && result_.verdict == Verdict::kPassed &&
                                 Clock::now() - start < kClockTime;
         ++turn) {
      pair.use_turn(turn);
      WS_TRY(RunRecord record, pair.run(request_, run, RunMode{}, result_, context_.stop));
      if (record.verdict != Verdict::kPassed) {
        record.shrunk_from = chosen.shrunk_from[run.workload];
        result_.verdict = record.verdict;
        result_.finding = clock ? FindingCode::kTimeDependent : FindingCode::kPlaceDependent;
        result_.message = moved_message(*result_.finding, result_.message);
        result_.runs.push_back(std::move(record));
      }
    }
    return {};
  }

  [[nodiscard]] OrderChoice orders() const {
    return noted(FindingCode::kOneOrder)                  ? OrderChoice::kAscendingBlocks
           : request_.level == ValidationLevel::kSanitize ? OrderChoice::kEvery
                                                          : OrderChoice::kInTurn;
  }

  /// One launch, and what is to be told of it.
  Status run_mode(ArenaPair& pair, const ValidationRun& run, const RunMode& mode,
                  const ChosenWorkloads& chosen) {
    WS_TRY(RunRecord record, pair.run(request_, run, mode, result_, context_.stop));
    if (run.distribution == Distribution::kLarge && record.verdict == Verdict::kInvalidReference) {
      result_.message.clear();  // The problem has no answer for large values: nothing to tell.
      return {};
    }
    if (mode.zero_memory && record.verdict == Verdict::kPassed) {
      return {};  // The inputs were those of a run that is told of.
    }
    record.shrunk_from = chosen.shrunk_from[run.workload];
    result_.verdict = record.verdict;
    if (chosen.candidates[run.workload].origin != WorkloadOrigin::kListed) {
      ++result_.hidden;
    }
    result_.runs.push_back(std::move(record));
    return {};
  }

  [[nodiscard]] bool noted(FindingCode note) const {
    return std::ranges::find(result_.notes, note) != result_.notes.end();
  }

  Backend& backend_;
  HostWorkers& hosts_;
  const Subject& subject_;
  const ValidationRequest& request_;
  const CallContext& context_;
  ValidationResult result_;
  double sanitizer_share_ = 0;         ///< The part of the progress that it has, at the end.
  std::set<RenderedSource> compiled_;  ///< On request, whatever the cache holds.
};

}  // namespace

Result<ValidationResult> validate_kernel(Backend& backend, HostWorkers& hosts,
                                         const Subject& subject, const ValidationRequest& request,
                                         const CallContext& context) {
  return retry_when_lost(
      [&] { return Validator(backend, hosts, subject, request, context).run(); });
}

}  // namespace ws
