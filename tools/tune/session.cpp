#include "tools/tune/session.h"

#include <algorithm>
#include <filesystem>
#include <utility>

#include "runtime/archive/store/counted_file.h"
#include "runtime/base/hash.h"
#include "runtime/base/log.h"
#include "runtime/base/numbers.h"
#include "runtime/tune/journal.h"
#include "tools/answer/subject_form.h"
#include "tools/tune/finalists.h"
#include "tools/tune/live_backend.h"
#include "tools/tune/scope.h"

namespace ws {
namespace {

/// The share of the budget that is kept for the finals.
constexpr double kFinalsShare = 0.25;
constexpr double kMostFinalsS = 15;
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
    const auto searched = search(info, target, space, *strategy, journal);
    count(journal);  // Also where the search ended early.
    WS_TRY(const tune::TuneResult found, searched);
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

  /// The journal counts for the principal that tunes, as what it stores in the archive does.
  void count(const tune::Journal& journal) const {
    std::error_code missing;
    const auto bytes = std::filesystem::file_size(journal.path(), missing);
    const Status counted =
        missing ? Status()
                : count_file(services_.options.archive(), journal.path().filename().string(),
                             static_cast<std::int64_t>(bytes));
    if (!counted) {
      log(LogLevel::kWarning, "tune", "a journal is not counted: " + to_text(counted.error()));
    }
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
      text +=
          ", best " + fixed_digits(best->us, 1) + " us with " + text_of(space.params(best->point));
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

  Status finish(const TuneTarget& target, const tune::TuneResult& found, const tune::Space& space) {
    FinalsRequest request{.target = target,
                          .finalists = {},
                          .sample = {},
                          .asked_workloads = question_.asked.workloads,
                          .budget_s = finals_budget_s()};
    const std::vector<const tune::Evaluation*> finalists =
        finalists_of(found, outcome_.timed.size(), finals_budget_s());
    for (const tune::Evaluation* finalist : finalists) {
      request.finalists.push_back(space.params(finalist->point));
    }
    if (finalists.empty()) {
      outcome_.finals.verdict = Verdict::kNone;
      return {};
    }
    for (const tune::Evaluation* other : sample_of(found, finalists, outcome_.secret)) {
      request.sample.push_back(space.params(other->point));
    }
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

Result<TuneOutcome> run_tuning(Services& services, const TuneQuestion& question,
                               const CallContext& context) {
  return Tuning(services, question, context).run();
}

}  // namespace ws
