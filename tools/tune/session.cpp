#include "tools/tune/session.h"

#include <algorithm>
#include <cstdio>
#include <utility>

#include "runtime/base/hash.h"
#include "runtime/tune/journal.h"
#include "tools/answer/subject_form.h"
#include "tools/tune/live_backend.h"
#include "tools/tune/scope.h"

namespace ws {
namespace {

/// The share of the budget that is kept for the finals.
constexpr double kFinalsShare = 0.25;
constexpr double kMostFinalsS = 15;
/// A point that was timed in full and is so much slower than the best may still be as fast.
constexpr double kFinalistMargin = 1.05;
constexpr std::size_t kSample = 2;
constexpr double kLeastFinalLaunches = 25;  // Ten blocks of two, and the warm-up.
constexpr double kLeastDuelS = 0.3;
constexpr double kUsPerS = 1e6;
constexpr double kSearchEnd = 0.8;  // The share of the progress at the end of the search.

void add_new(std::vector<Workload>& to, const std::vector<Workload>& from) {
  for (const Workload& workload : from) {
    if (std::find(to.begin(), to.end(), workload) == to.end()) {
      to.push_back(workload);
    }
  }
}

std::string text_of(const Params& params) {
  std::string text;
  for (const auto& [name, value] : params) {
    text += (text.empty() ? "" : ", ") + name + " = " + std::to_string(value);
  }
  return text;
}

std::string microseconds(double us) {
  std::array<char, 32> text{};
  std::snprintf(text.data(), text.size(), "%.1f us", us);
  return text.data();
}

class Tuning {
 public:
  Tuning(Services& services, const TuneQuestion& question, const CallContext& context)
      : services_(services),
        question_(question),
        context_(context) {}

  Result<TuneOutcome> run() {
    WS_TRY(const DeviceInfo info, question_.device->backend->info());
    outcome_.secret = random_u64();
    WS_TRY(const TuneScope scope, tune_scope(question_.subject, question_.asked.workloads,
                                             info.emulated, outcome_.secret));
    auto target = std::make_shared<TuneTarget>();
    target->subject = question_.subject;
    target->timed = scope.timed;
    target->secret = outcome_.secret;
    outcome_.timed = scope.timed;
    std::vector<Workload> constrained = scope.covered;
    add_new(constrained, scope.timed);
    const Kernel& kernel = question_.subject.kernel;
    WS_TRY(tune::Space space, tune::kernel_space(question_.subject.problem, kernel, constrained));
    WS_TRY(const std::unique_ptr<tune::Strategy> strategy,
           tune::make_strategy(question_.asked.strategy, space, outcome_.secret));
    WS_TRY(tune::Journal journal,
           tune::Journal::open(services_.options.data_dir / tune::kJournalFolder,
                               journal_key(info, space), question_.asked.common.fresh));
    WS_TRY(const tune::TuneResult found, search(info, target, space, *strategy, journal));
    keep(found, space);
    WS_CHECK(finish(*target, found, space));
    return std::move(outcome_);
  }

 private:
  tune::JournalKey journal_key(const DeviceInfo& info, const tune::Space& space) const {
    Json workloads = Json::array();
    for (const Workload& workload : outcome_.timed) {
      workloads.push_back(to_json(workload));
    }
    return {question_.subject.kernel.id, info.key(), info.toolkit + " " + info.arch,
            workloads.dump(), space.axes()};
  }

  [[nodiscard]] double finals_budget_s() const {
    return std::min(kFinalsShare * question_.asked.budget_s, kMostFinalsS);
  }

  Result<tune::TuneResult> search(const DeviceInfo& info,
                                  const std::shared_ptr<const TuneTarget>& target,
                                  tune::Space& space, tune::Strategy& strategy,
                                  tune::Journal& journal) {
    // A trial may outlive this session: it has nothing of it but copies.
    const auto verify = [services = &services_, device = question_.device, target,
                         asked = question_.asked.workloads](const Params& params,
                                                            const CallContext& own) {
      return validate_point(*services, *device, *target, asked, params, "quick", nullptr, own);
    };
    LiveEvaluationBackend backend({.services = services_,
                                   .device = *question_.device,
                                   .target = target,
                                   .space = space,
                                   .verify = verify,
                                   .caller = context_.caller,
                                   .stop = context_.stop,
                                   .emulated = info.emulated});
    tune::TunerOptions options;
    options.budget_s = question_.asked.budget_s - finals_budget_s();
    options.max_evaluations = question_.asked.max_evaluations;
    if (const auto defaults = space.find(target->subject.kernel.defaults)) {
      options.first = {*defaults};
    }
    tune::Tuner tuner(space, strategy, backend, options);
    std::vector<tune::Evaluation> known = journal.take();
    outcome_.resumed = known.size();
    tuner.know(std::move(known));
    std::size_t done = outcome_.resumed;
    Status written;
    const auto on_evaluation = [&](const tune::Evaluation& evaluation, const tune::Evaluation* best,
                                   double t_s) {
      written = journal.add(evaluation);
      report(++done, best, t_s / options.budget_s, space);
      return written.has_value();
    };
    auto found = tuner.run(on_evaluation);
    outcome_.pace = backend.pace();
    WS_CHECK(written);
    return found;
  }

  void report(std::size_t done, const tune::Evaluation* best, double spent,
              const tune::Space& space) const {
    const double counted =
        question_.asked.max_evaluations
            ? static_cast<double>(done) / static_cast<double>(*question_.asked.max_evaluations)
            : 0;
    std::string text = std::to_string(done) + " points";
    if (best != nullptr) {
      text += ", best " + microseconds(best->us) + " with " + text_of(space.params(best->point));
    }
    context_.report(kSearchEnd * std::min(1.0, std::max(spent, counted)), text);
  }

  void keep(const tune::TuneResult& found, const tune::Space& space) {
    outcome_.points = space.total();
    outcome_.listed = space.listed();
    outcome_.excluded = space.excluded();
    outcome_.convergence = found.convergence;
    outcome_.end = found.end;
    for (const tune::Evaluation& evaluation : found.evaluations) {
      outcome_.evaluations.push_back({space.params(evaluation.point), evaluation});
    }
  }

  /// Those that may be the fastest, the fastest first.
  std::vector<const tune::Evaluation*> finalists_of(const tune::TuneResult& found) const {
    const auto all = static_cast<std::size_t>(tune::race_stages().back().samples);
    std::vector<const tune::Evaluation*> finalists;
    const double best =
        found.best ? found.evaluations[*found.best].us : std::numeric_limits<double>::infinity();
    for (const tune::Evaluation& evaluation : found.evaluations) {
      const bool close =
          evaluation.samples.size() >= all && evaluation.us <= best * kFinalistMargin;
      if (evaluation.fate == tune::Fate::kGood && close) {
        finalists.push_back(&evaluation);
      }
    }
    std::stable_sort(
        finalists.begin(), finalists.end(),
        [](const tune::Evaluation* a, const tune::Evaluation* b) { return a->us < b->us; });
    // The final comparisons have a least length, which a slow kernel makes long: fewer then.
    const double duel_s =
        kLeastFinalLaunches * best * static_cast<double>(outcome_.timed.size()) / kUsPerS;
    const auto most =
        static_cast<std::size_t>(std::clamp(finals_budget_s() / std::max(duel_s, kLeastDuelS), 1.0,
                                            static_cast<double>(kMaxFinalists)));
    finalists.resize(std::min(finalists.size(), most));
    return finalists;
  }

  Status finish(const TuneTarget& target, const tune::TuneResult& found, const tune::Space& space) {
    FinalsRequest request{.target = target,
                          .finalists = {},
                          .sample = {},
                          .asked_workloads = question_.asked.workloads,
                          .budget_s = finals_budget_s()};
    const std::vector<const tune::Evaluation*> finalists = finalists_of(found);
    for (const tune::Evaluation* finalist : finalists) {
      request.finalists.push_back(space.params(finalist->point));
    }
    if (finalists.empty()) {
      outcome_.finals.verdict = Verdict::kNone;
      return {};
    }
    request.sample = sample_of(found, finalists, space);
    context_.report(kSearchEnd,
                    "measuring " + std::to_string(finalists.size()) + " finalists again, in turns");
    WS_CHECK(on_lane([&](const CallContext& own) -> Status {
      WS_TRY(outcome_.finals, run_finals(services_, *question_.device, request, own));
      return {};
    }));
    for (const TunedPoint& point : outcome_.evaluations) {
      if (outcome_.finals.winner == point.params && point.evaluation.us != tune::kUnusable) {
        outcome_.winner_us = point.evaluation.us;
      }
    }
    if (!outcome_.finals.winner) {
      outcome_.finals.verdict = Verdict::kNone;
    }
    return {};
  }

  /// Progress of the finals, as a part of the whole.
  [[nodiscard]] ProgressFn last_part() const {
    return [this](const Progress& progress) {
      context_.report(kSearchEnd + (1 - kSearchEnd) * progress.fraction, progress.message);
    };
  }

  /// Points at random that were timed and never looked at since.
  std::vector<Params> sample_of(const tune::TuneResult& found,
                                const std::vector<const tune::Evaluation*>& finalists,
                                const tune::Space& space) const {
    std::vector<const tune::Evaluation*> others;
    for (const tune::Evaluation& evaluation : found.evaluations) {
      const bool known =
          std::find(finalists.begin(), finalists.end(), &evaluation) != finalists.end();
      if (evaluation.fate == tune::Fate::kGood && !evaluation.verified && !known) {
        others.push_back(&evaluation);
      }
    }
    tune::Random random(outcome_.secret);
    std::vector<Params> sample;
    while (sample.size() < kSample && !others.empty()) {
      const std::size_t at = tune::pick(random, others.size());
      sample.push_back(space.params(others[at]->point));
      others.erase(others.begin() + static_cast<std::ptrdiff_t>(at));
    }
    return sample;
  }

  /// Runs on the device's lane and waits for its end; a stop of the tuning stops it.
  Status on_lane(const std::function<Status(const CallContext&)>& work) {
    constexpr std::chrono::milliseconds long_wait{600'000};
    WS_TRY(const std::string id,
           services_.jobs->submit(backend_job(context_.caller, question_.device->id),
                                  [this, &work](CallContext& own) -> Result<std::string> {
                                    WS_CHECK(work(own.part(last_part())));
                                    return std::string("{}");
                                  }));
    const CallContext quiet = context_.part();
    for (;;) {
      const Result<JobSnapshot> job = services_.jobs->wait(id, long_wait, quiet);
      if (!job) {
        return fail(job.error());
      }
      if (job->outcome) {
        const Result<std::string>& done = *job->outcome;
        return done ? Status() : Status(fail(done.error()));
      }
      if (context_.stop.stop_requested()) {
        // The job uses objects of this function, so it must end first.
        WS_CHECK(services_.jobs->cancel(id));
        WS_CHECK(services_.jobs->wait(id, long_wait, CallContext{}));
        return fail(ErrorCode::kCancelled, "the call was cancelled");
      }
    }
  }

  Services& services_;
  const TuneQuestion& question_;
  const CallContext& context_;
  TuneOutcome outcome_;
};

}  // namespace

void from_json(const Json& arguments, TuneParams& params) {
  params.common = common_params(arguments);
  params.kernel_id = arguments.at("kernel_id");
  params.workloads = arguments.value("workloads", Json::array());
  params.budget_s = arguments.value("budget_s", params.budget_s);
  if (arguments.contains("max_evaluations")) {
    params.max_evaluations = arguments["max_evaluations"].get<std::size_t>();
  }
  params.strategy = arguments.value("strategy", params.strategy);
  params.objective = arguments.value("objective", params.objective);
}

std::string TuneQuestion::key(const std::string& on) const {
  return Json{{"kernel", subject.kernel.id},
              {"device", on},
              {"workloads", asked.workloads},
              {"budget_s", asked.budget_s},
              {"max_evaluations", asked.max_evaluations ? Json(*asked.max_evaluations) : Json()},
              {"strategy", asked.strategy},
              {"objective", asked.objective}}
      .dump();
}

Result<TuneOutcome> run_tuning(Services& services, const TuneQuestion& question,
                               const CallContext& context) {
  return Tuning(services, question, context).run();
}

}  // namespace ws
