#include "tools/tune/live_backend.h"

#include <condition_variable>
#include <deque>
#include <map>
#include <mutex>
#include <utility>

#include "runtime/base/parallel.h"

namespace ws {
namespace {

constexpr const char* kTool = "tune";

tune::LabEvent event_of(const tune::Point& point, bool trial) {
  tune::LabEvent event;
  event.point = point;
  event.trial = trial;
  return event;
}

double seconds_since(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

}  // namespace

JobRequest backend_job(const Caller& caller, const std::string& lane) {
  return {.lanes = {lane},
          .tool = kTool,
          .key = {},
          .caller = {.client = caller.client, .background = true},
          .id = {}};
}

struct LiveEvaluationBackend::Board {
  PaceClock pace;
  std::mutex mutex;
  std::condition_variable_any changed;
  std::deque<tune::LabEvent> ended;                                // guarded by mutex
  std::optional<Error> broken;                                     // guarded by mutex
  std::map<tune::Point, std::shared_ptr<const BuiltPoint>> built;  // guarded by mutex

  void post(tune::LabEvent event) {
    const std::lock_guard lock(mutex);
    ended.push_back(std::move(event));
    changed.notify_all();
  }

  void post(Error error) {
    const std::lock_guard lock(mutex);
    broken = std::move(error);
    changed.notify_all();
  }
};

LiveEvaluationBackend::LiveEvaluationBackend(LiveLabSetup setup)
    : setup_(std::move(setup)),
      start_(Clock::now()),
      board_(std::make_shared<Board>()) {}

LiveEvaluationBackend::~LiveEvaluationBackend() {
  for (const std::string& job : jobs_) {
    // One that has ended meanwhile is as good as cancelled.
    [[maybe_unused]] const Result<JobSnapshot> cancelled = setup_.services.jobs->cancel(job);
  }
}

double LiveEvaluationBackend::now_s() {
  return seconds_since(start_);
}

std::size_t LiveEvaluationBackend::workers() const {
  return core_count();
}

Status LiveEvaluationBackend::submit(const std::string& lane, JobWork work) {
  WS_TRY(std::string job,
         setup_.services.jobs->submit(backend_job(setup_.caller, lane), std::move(work)));
  jobs_.insert(std::move(job));
  return {};
}

Status LiveEvaluationBackend::begin_build(const tune::Point& point) {
  const auto work =
      [board = board_, backend = setup_.device.backend.get(), target = setup_.target, point,
       params = setup_.space.params(point)](CallContext& context) -> Result<std::string> {
    const Clock::time_point start = Clock::now();
    board->pace.begin(PaceClock::What::kBuild);
    Result<BuiltPoint> built = build_point(*backend, *target, params, context.stop);
    board->pace.end(PaceClock::What::kBuild);
    if (!built) {
      board->post(built.error());
      return fail(built.error());
    }
    tune::LabEvent event = event_of(point, false);
    event.fate = built->fate;
    event.verdict = built->verdict;
    event.message = built->message;
    event.features = built->features;
    event.took_s = seconds_since(start);
    if (event.fate == tune::Fate::kGood) {
      const std::lock_guard lock(board->mutex);
      board->built[point] = std::make_shared<const BuiltPoint>(*std::move(built));
    }
    board->post(std::move(event));
    return std::string("{}");
  };
  return submit(kCompileLane, work);
}

Status LiveEvaluationBackend::begin_trial(const tune::Point& point,
                                          const std::vector<double>& best) {
  std::shared_ptr<const BuiltPoint> built;
  {
    const std::lock_guard lock(board_->mutex);
    built = std::move(board_->built[point]);
    board_->built.erase(point);
  }
  const auto trial = [backend = setup_.device.backend.get(), target = setup_.target,
                      verify = setup_.verify, params = setup_.space.params(point), point, built,
                      best](const CallContext& context) -> Result<tune::LabEvent> {
    const Clock::time_point start = Clock::now();
    tune::LabEvent event = event_of(point, true);
    WS_TRY(const RacedPoint raced, race_point(*backend, *target, *built, best, context.stop));
    event.us = raced.race.us;
    event.samples = raced.race.samples;
    event.verdict = raced.verdict.value_or(Verdict::kPassed);
    event.message = raced.message;
    if (!raced.verdict && raced.race.finished) {
      WS_TRY(const PointVerdict said, verify(params, context));
      event.verified = said.verdict == Verdict::kPassed;
      event.verdict = said.verdict;
      event.message = event.verified ? "" : said.message;
    }
    event.fate = event.verdict == Verdict::kPassed ? tune::Fate::kGood : tune::Fate::kFailed;
    event.took_s = seconds_since(start);
    return event;
  };
  return submit(setup_.device.id,
                [board = board_, trial](CallContext& context) -> Result<std::string> {
                  board->pace.begin(PaceClock::What::kTrial);
                  Result<tune::LabEvent> event = trial(context);
                  board->pace.end(PaceClock::What::kTrial);
                  if (!event) {
                    board->post(event.error());
                    return fail(event.error());
                  }
                  board->post(*std::move(event));
                  return std::string("{}");
                });
}

Pace LiveEvaluationBackend::pace() const {
  return board_->pace.so_far();
}

Result<std::optional<tune::LabEvent>> LiveEvaluationBackend::next(double until_s) {
  const auto until =
      start_ + std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(until_s));
  std::unique_lock lock(board_->mutex);
  board_->changed.wait_until(lock, setup_.stop, until,
                             [&] { return board_->broken || !board_->ended.empty(); });
  if (setup_.stop.stop_requested()) {
    return fail(ErrorCode::kCancelled, "the call was cancelled");
  }
  if (board_->broken) {
    return fail(*board_->broken);
  }
  if (board_->ended.empty()) {
    return std::optional<tune::LabEvent>();
  }
  std::optional<tune::LabEvent> event = std::move(board_->ended.front());
  board_->ended.pop_front();
  return event;
}

}  // namespace ws
