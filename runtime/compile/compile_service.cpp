#include "runtime/compile/compile_service.h"

#include <algorithm>
#include <iterator>

#include "runtime/base/hash.h"
#include "runtime/base/log.h"
#include "runtime/base/metrics.h"
#include "runtime/base/trace.h"
#include "runtime/base/work_owner.h"
#include "runtime/queue/frame.h"
#include "runtime/queue/worker_call.h"

namespace ws {
namespace {

constexpr std::size_t kMaxOutcomeFrame = std::size_t{64} << 20U;
constexpr std::size_t kMaxReadyFrame = 4096;

/// After one that was idle, and one that was started ahead, a fresh worker is tried.
constexpr int kRetries = 2;

/// A crash of the worker itself, not of the child that compiles: worth one more try.
bool worker_lost(const Error& error) {
  return error.code == ErrorCode::kDeviceLost;
}

/// The same request gives the same outcome again. A compiler that met a limit of time or memory, or
/// crashed, may do better next time; it names no line then.
bool is_lasting(const CompileOutcome& outcome) {
  return outcome.verdict != CompileVerdict::kTimeout &&
         (outcome.verdict != CompileVerdict::kResourceLimit || !outcome.diagnostics.empty());
}

struct CacheCounts {
  MetricCell& memory = metric_cell(Metric::kCacheHits, {"memory"});
  MetricCell& disk = metric_cell(Metric::kCacheHits, {"disk"});
  MetricCell& shared = metric_cell(Metric::kCacheHits, {"shared"});
  MetricCell& joined = metric_cell(Metric::kCacheHits, {"joined"});
  MetricCell& misses = metric_cell(Metric::kCacheMisses);
};

CacheCounts& counts() {
  static CacheCounts all;
  return all;
}

}  // namespace

std::string_view name_of(CacheUse use) {
  switch (use) {
    case CacheUse::kHit:
      return "hit";
    case CacheUse::kMiss:
      return "miss";
    case CacheUse::kJoined:
      return "joined";
    case CacheUse::kBypass:
      break;
  }
  return "bypass";
}

CompileService::CompileService(Options options)
    : options_(std::move(options)),
      pool_({options_.executable, options_.role, 1}) {}

Result<CompileReply> CompileService::compile(const CompileRequest& request,
                                             const std::stop_token& stop, bool fresh) {
  const std::string frame = encode(request);
  const std::string key = sha256_hex(frame);
  std::shared_ptr<Flight> flight;
  {
    std::unique_lock lock(mutex_);
    for (;;) {
      if (OutcomePtr known = fresh ? nullptr : find(key)) {
        counts().memory.add();
        return CompileReply{std::move(known), CacheUse::kHit};
      }
      const auto running = flights_.find(key);
      if (running == flights_.end()) {
        break;
      }
      const std::shared_ptr<Flight> other = running->second;
      changed_.wait(lock, stop, [&] { return other->done; });
      if (stop.stop_requested()) {
        return fail(ErrorCode::kCancelled, "the call was cancelled");
      }
      if (other->result) {
        counts().joined.add();
        return CompileReply{*other->result, CacheUse::kJoined};
      }
      // The caller that led it was cancelled or lost its worker: lead it oneself.
    }
    flight = std::make_shared<Flight>();
    flights_[key] = flight;
  }
  CacheUse use = fresh ? CacheUse::kBypass : CacheUse::kMiss;
  Result<OutcomePtr> result = produce(frame, stop, fresh, use);
  const std::lock_guard lock(mutex_);
  flight->done = true;
  flight->result = result;
  flights_.erase(key);
  changed_.notify_all();
  WS_TRY(OutcomePtr outcome, std::move(result));
  if (outcome->verdict != CompileVerdict::kTimeout) {
    remember(key, outcome);
  }
  return CompileReply{std::move(outcome), use};
}

Result<CompileService::OutcomePtr> CompileService::produce(const std::string& frame,
                                                           const std::stop_token& stop, bool fresh,
                                                           CacheUse& use) {
  const std::string key = store_key(frame, Stamp::kQuick);
  if (OutcomePtr known = key.empty() || fresh ? nullptr : options_.store->find(key)) {
    use = CacheUse::kHit;
    counts().disk.add();
    return known;
  }
  const bool shares = !key.empty() && options_.store->shares();
  const std::string shared = shares ? store_key(frame, Stamp::kContent) : "";
  if (OutcomePtr known = shared.empty() || fresh ? nullptr : options_.store->find_shared(shared)) {
    use = CacheUse::kHit;
    counts().shared.add();
    options_.store->keep({.key = key}, known);
    return known;
  }
  counts().misses.add();
  TraceSpan span("compile");
  span.note("warpsmith.compiler", options_.compiler);
  Result<OutcomePtr> result = compile_now(frame, stop);
  for (int again = 0; again < kRetries && !result && worker_lost(result.error()); ++again) {
    forget_idle();
    result = compile_now(frame, stop);
  }
  if (!result) {
    span.fail(result.error().message);
  } else {
    span.note("warpsmith.verdict", name_of((*result)->verdict));
  }
  if (!key.empty() && result && is_lasting(**result)) {
    options_.store->keep({.key = key, .shared = shared}, *result);
  }
  return result;
}

std::string CompileService::store_key(const std::string& frame, Stamp stamp) {
  if (!options_.store || !options_.identity) {
    return {};
  }
  Identity& identity = identities_.at(static_cast<std::size_t>(stamp));
  std::call_once(identity.once, [&] {
    if (const Result<std::string> found = options_.identity(stamp); found) {
      identity.text = *found;
    } else {
      log(LogLevel::kWarning, "compile",
          (stamp == Stamp::kQuick ? "no cache on disk: " : "no compiled kernels are shared: ") +
              to_text(found.error()));
    }
  });
  return identity.text.empty() ? ""
                               : sha256_hex(options_.role + "\n" + identity.text + "\n" + frame);
}

Result<CompileService::OutcomePtr> CompileService::compile_now(const std::string& request,
                                                               const std::stop_token& stop) {
  CoreGate::Hold cores;
  if (options_.cores) {
    WS_TRY(cores, options_.cores->share(stop));
  }
  const std::string owner = options_.by_owner ? owner_tag() : "";
  WS_TRY(Worker worker, borrow(stop, owner));
  worker.owner = owner;
  const Result<std::string> reply = ask_worker(worker.process, owner + request, kMaxOutcomeFrame,
                                               Clock::now() + options_.deadline, stop);
  if (!reply) {
    drop_worker();
    if (reply.error().code == ErrorCode::kTimeout) {
      auto late = std::make_shared<CompileOutcome>();
      late->verdict = CompileVerdict::kTimeout;
      late->message = "the compiler did not answer within " +
                      std::to_string(options_.deadline.count() / 1000) + " s";
      return late;
    }
    return fail(reply.error());
  }
  give_back(std::move(worker));
  WS_TRY(CompileOutcome decoded, decode_compile_outcome(*reply));
  return std::make_shared<const CompileOutcome>(std::move(decoded));
}

Result<CompileService::Worker> CompileService::start_worker() {
  WS_TRY(WorkerProcess process, pool_.take());
  if (!options_.setup.empty()) {
    WS_CHECK(send_frame(process.socket(), options_.setup));
  }
  WS_TRY(const Received ready,
         receive_frame(process.socket(), kMaxReadyFrame, Clock::now() + options_.deadline));
  const std::size_t first = ready.payload.find('\n');
  const std::size_t second = ready.payload.find('\n', first + 1);
  if (ready.payload.substr(0, first) != "ready" || second == std::string::npos) {
    return fail(ErrorCode::kUnsupported, options_.compiler + " is not available",
                "run `warpsmith doctor` to see what is missing",
                ready.payload.substr(std::min(first + 1, ready.payload.size())));
  }
  CompilerInfo info{ready.payload.substr(first + 1, second - first - 1),
                    ready.payload.substr(second + 1)};
  return Worker{std::move(process), std::move(info)};
}

Result<CompileService::Worker> CompileService::borrow(const std::stop_token& stop,
                                                      const std::string& owner) {
  {
    std::unique_lock lock(mutex_);
    const bool free =
        changed_.wait(lock, stop, [this] { return !idle_.empty() || lent_ < options_.workers; });
    if (!free) {
      return fail(ErrorCode::kCancelled, "the call was cancelled");
    }
    ++lent_;
    if (!idle_.empty()) {
      const auto own = std::find_if(idle_.begin(), idle_.end(),
                                    [&](const Worker& one) { return one.owner == owner; });
      const auto chosen = own == idle_.end() ? std::prev(idle_.end()) : own;
      Worker worker = std::move(*chosen);
      idle_.erase(chosen);
      return worker;
    }
  }
  auto worker = start_worker();
  if (!worker) {
    drop_worker();
  }
  return worker;
}

void CompileService::give_back(Worker worker) {
  {
    const std::lock_guard lock(mutex_);
    idle_.push_back(std::move(worker));
    --lent_;
  }
  changed_.notify_all();
}

void CompileService::forget_idle() {
  std::vector<Worker> suspects;  // Ended outside the lock.
  const std::lock_guard lock(mutex_);
  suspects.swap(idle_);
}

void CompileService::drop_worker() {
  {
    const std::lock_guard lock(mutex_);
    --lent_;
  }
  changed_.notify_all();
}

Result<CompilerInfo> CompileService::info() {
  {
    const std::lock_guard lock(mutex_);
    if (info_) {
      return *info_;  // Without waiting for a worker: all of them may be busy.
    }
  }
  WS_TRY(Worker worker, borrow({}));
  CompilerInfo info = worker.info;
  give_back(std::move(worker));
  const std::lock_guard lock(mutex_);
  info_ = info;
  return info;
}

CompileService::OutcomePtr CompileService::find(const std::string& key) {
  const auto at = cache_.find(key);
  if (at == cache_.end()) {
    return nullptr;
  }
  recent_.splice(recent_.begin(), recent_, at->second);
  return at->second->second;
}

void CompileService::remember(const std::string& key, OutcomePtr outcome) {
  if (const auto at = cache_.find(key); at != cache_.end()) {
    recent_.erase(at->second);
    cache_.erase(at);
  }
  recent_.emplace_front(key, std::move(outcome));
  cache_[key] = recent_.begin();
  if (recent_.size() > options_.cache_entries) {
    cache_.erase(recent_.back().first);
    recent_.pop_back();
  }
}

}  // namespace ws
