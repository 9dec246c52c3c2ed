#include "server/page/work_streams.h"

#include <algorithm>
#include <map>
#include <utility>

namespace ws::server {
namespace {

using Clock = std::chrono::steady_clock;

constexpr std::size_t kJobsShown = 200;
/// Thousands of jobs take long to look at: the thread uses one part of so many of a core.
constexpr int kLeastShare = 20;

std::string event_text(const char* name, const Json& data) {
  return "event: " + std::string(name) + "\ndata: " + to_line(data) + "\n\n";
}

void forget_times(Json& rows) {
  for (Json& row : rows) {
    for (const char* time : {"age_s", "ran_s", "eta_s", "busy_s"}) {
      row.erase(time);
    }
  }
}

}  // namespace

WorkStreams::WorkStreams(RunningServer running, const StreamLimits& limits)
    : running_(std::move(running)),
      limits_(limits),
      thread_([this](const std::stop_token& stop) { follow(stop); }) {}

Status WorkStreams::add(const std::shared_ptr<Stream>& stream) {
  const std::lock_guard lock(mutex_);
  const auto own = static_cast<std::size_t>(
      std::count_if(streams_.begin(), streams_.end(),
                    [&](const auto& other) { return other->principal == stream->principal; }));
  if (streams_.size() >= limits_.streams || own >= limits_.of_one) {
    return fail(ErrorCode::kBusy,
                std::to_string(streams_.size()) + " pages are open that show what this server does",
                "close some, or try again later");
  }
  streams_.push_back(stream);
  opened_.notify_one();
  return {};
}

void WorkStreams::end(const std::shared_ptr<Stream>& stream) {
  {
    const std::lock_guard lock(mutex_);
    std::erase(streams_, stream);
  }
  stream->responder->finish({});
}

WorkStreams::Streams WorkStreams::open_streams() {
  const std::lock_guard lock(mutex_);
  return streams_;
}

WorkStreams::Look WorkStreams::look() const {
  Json work = running_.work();
  Json& jobs = work["jobs"];
  if (jobs.size() > kJobsShown) {
    work["jobs_left_out"] = jobs.size() - kJobsShown;
    jobs.erase(jobs.begin() + kJobsShown, jobs.end());
  }
  Look found{.facts = {}, .event = event_text("work", work)};
  forget_times(jobs);
  forget_times(work["lanes"]);
  found.facts = to_line(work);
  return found;
}

void WorkStreams::tell(Stream& stream, const Look& look) {
  if (stream.facts != look.facts) {
    stream.facts = look.facts;
    stream.responder->send(look.event);
  }
}

Status WorkStreams::open(const std::string& principal, HttpReply head,
                         const std::shared_ptr<HttpResponder>& responder,
                         const std::stop_token& gone) {
  const auto stream = std::make_shared<Stream>(principal, kept_viewer(), responder, Clock::now());
  const Json devices = running_.devices();
  {
    const std::lock_guard lock(telling_);
    WS_CHECK(add(stream));
    responder->begin(std::move(head));
    responder->send(event_text("devices", devices));
    tell(*stream, look());
  }
  stream->gone.emplace(gone, [this, weak = std::weak_ptr(stream)] {
    if (const auto own = weak.lock()) {
      end(own);
    }
  });
  return {};
}

void WorkStreams::tell_all() {
  const std::lock_guard lock(telling_);
  const Streams streams = open_streams();
  if (streams.empty()) {
    return;
  }
  std::map<std::string, Look> looks;  // By the names of those who do not see all.
  for (const auto& stream : streams) {
    const bool all = !stream->viewer || stream->viewer->sees_all;
    const ViewerScope viewer(all ? nullptr : stream->viewer);
    auto at = looks.find(current_viewer().owner);
    if (at == looks.end()) {
      at = looks.emplace(current_viewer().owner, look()).first;
    }
    const Look& found = at->second;
    const bool changed = stream->facts != found.facts;
    if (changed && Clock::now() - stream->since >= limits_.longest) {
      end(stream);
    } else {
      tell(*stream, found);
    }
  }
}

void WorkStreams::follow(const std::stop_token& stop) {
  std::uint64_t seen = 0;
  while (!stop.stop_requested()) {
    std::unique_lock lock(mutex_);
    if (!opened_.wait(lock, stop, [this] { return !streams_.empty(); })) {
      return;
    }
    lock.unlock();
    seen = running_.wait_for_change(seen, stop);
    const auto began = Clock::now();
    tell_all();
    const auto took = Clock::now() - began;
    lock.lock();
    opened_.wait_for(lock, stop, std::max<Clock::duration>(limits_.pause, kLeastShare * took),
                     [] { return false; });
  }
}

}  // namespace ws::server
