#include "runtime/session/job_mirrors.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include "runtime/base/client_key.h"
#include "runtime/base/log.h"
#include "runtime/session/node_job_report.h"

namespace ws {
namespace {

/// Without a notice all mirrored jobs are looked at after so long, should one have been lost.
constexpr std::chrono::milliseconds kLookAtAll{5000};
constexpr std::size_t kLookedAtOnce = 500;

}  // namespace

Result<JobTicket> JobMirrors::mirror(JobRequest request,
                                     const std::function<Result<std::string>()>& want) {
  WS_TRY(JobTicket ticket, add(request, want));
  look_at({request.id});  // It may have ended before it was known here.
  return ticket;
}

Result<JobTicket> JobMirrors::add(JobRequest& request,
                                  const std::function<Result<std::string>()>& want) {
  std::unique_lock turn(door_);
  const std::shared_lock room(room_);
  turn.unlock();
  WS_TRY(request.id, want());
  WS_TRY(MirroredJob mirrored, queue_.mirror(request));
  std::unique_ptr<Unwanted> unwanted;
  if (mirrored.is_new) {  // Not under the lock: it is called at once where it is so already.
    unwanted = std::make_unique<Unwanted>(mirrored.unwanted,
                                          [this, id = request.id] { note_unwanted(id); });
  }
  const std::lock_guard lock(mutex_);
  Mirror& mirror = mirrors_[request.id];
  if (unwanted) {
    mirror.client = request.caller.client;
    mirror.unwanted.swap(unwanted);  // The one before may be calling, which takes the lock.
  }
  return mirrored.ticket;
}

Result<Withdrawal> JobMirrors::cancel(const std::string& id, const std::string& client) {
  const std::lock_guard turn(door_);
  const std::unique_lock alone(room_);
  const Result<JobSnapshot> here = queue_.release(id, client);
  const bool wanted_here = here && !here->outcome && !here->stopping;
  return broker_.cancel(id, client, wanted_here);
}

std::size_t JobMirrors::count(std::string_view principal) {
  const std::lock_guard lock(mutex_);
  return static_cast<std::size_t>(std::count_if(
      mirrors_.begin(), mirrors_.end(),
      [&](const auto& mirror) { return principal_of(mirror.second.client) == principal; }));
}

void JobMirrors::report(const NodeJobView& view) {
  JobReport report = report_of(view);
  const bool over = report.outcome.has_value();
  queue_.report(std::move(report));
  if (over) {
    forget(view.id);
  }
}

void JobMirrors::forget(const std::string& id) {
  std::map<std::string, Mirror>::node_type gone;  // Its callback takes the lock: ended after that.
  const std::lock_guard lock(mutex_);
  gone = mirrors_.extract(id);
}

void JobMirrors::look_at(const std::vector<std::string>& ids) {
  const Result<std::vector<NodeJobView>> views = broker_.look(ids);
  if (!views) {
    return;  // The next look repairs it.
  }
  std::set<std::string> unknown(ids.begin(), ids.end());
  for (const NodeJobView& view : *views) {
    unknown.erase(view.id);
    report(view);
  }
  for (const std::string& id : unknown) {
    queue_.report({.id = id,
                   .state = JobState::kFailed,
                   .progress = {},
                   .outcome = fail(ErrorCode::kDeviceLost,
                                   "the job `" + id +
                                       "` is not known any "
                                       "more",
                                   "call the tool again")});
    forget(id);
  }
}

void JobMirrors::look_at_all() {
  std::vector<std::string> ids;
  {
    const std::lock_guard lock(mutex_);
    for (const auto& [id, mirror] : mirrors_) {
      ids.push_back(id);
    }
  }
  for (std::size_t at = 0; at < ids.size(); at += kLookedAtOnce) {
    const auto begin = ids.begin() + static_cast<std::ptrdiff_t>(at);
    const auto count = std::min(kLookedAtOnce, ids.size() - at);
    look_at({begin, begin + static_cast<std::ptrdiff_t>(count)});
  }
}

std::stop_token JobMirrors::next_wake() {
  const std::lock_guard lock(mutex_);
  if (wake_.stop_requested()) {
    wake_ = std::stop_source();
  }
  return wake_.get_token();
}

void JobMirrors::run(const std::stop_token& stop) {
  const std::stop_callback end(stop, [this] {
    const std::lock_guard lock(mutex_);
    wake_.request_stop();
  });
  auto looked = Clock::now();
  bool lost = false;
  while (!stop.stop_requested()) {
    const std::stop_token wake = next_wake();
    withdraw_unwanted();
    if (stop.stop_requested()) {
      return;
    }
    const Result<JobNews> news = broker_.wait(kLookAtAll, wake);
    if (!news) {
      if (!std::exchange(lost, true)) {
        log(LogLevel::kWarning, "nodes", "results come late: " + to_text(news.error()));
      }
      continue;
    }
    lost = false;
    std::vector<std::string> known;
    {
      const std::lock_guard lock(mutex_);
      std::copy_if(news->ids.begin(), news->ids.end(), std::back_inserter(known),
                   [&](const std::string& id) { return mirrors_.contains(id); });
    }
    if (news->missed || Clock::now() - looked >= kLookAtAll) {
      look_at_all();
      looked = Clock::now();
    } else if (!known.empty()) {
      look_at(known);
    }
  }
}

void JobMirrors::withdraw_unwanted() {
  std::set<std::string> ids;
  {
    const std::lock_guard lock(mutex_);
    ids.swap(unwanted_);
  }
  for (const std::string& id : ids) {
    withdraw(id);
  }
}

void JobMirrors::withdraw(const std::string& id) {
  const Result<bool> over = take_back(id);
  if (over) {
    if (*over) {
      look_at({id});
    }
    return;
  }
  log(LogLevel::kWarning, "nodes",
      "job=" + id + " runs on though nobody wants it: " + to_text(over.error()));
  const std::lock_guard lock(mutex_);
  unwanted_.insert(id);  // For the next round.
}

Result<bool> JobMirrors::take_back(const std::string& id) {
  const std::lock_guard turn(door_);
  const std::unique_lock alone(room_);
  if (!queue_.is_ending(id)) {
    return false;
  }
  const Result<Withdrawal> withdrawn = broker_.withdraw(id);
  if (!withdrawn) {
    return withdrawn.error().code == ErrorCode::kNotFound ? Result<bool>(true)
                                                          : Result<bool>(fail(withdrawn.error()));
  }
  if (*withdrawn == Withdrawal::kStays && queue_.drop(id)) {
    forget(id);
  }
  return *withdrawn == Withdrawal::kEnded || *withdrawn == Withdrawal::kOver;
}

}  // namespace ws
